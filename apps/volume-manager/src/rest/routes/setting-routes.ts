import { priorityClassType } from '@lateen/api-types';
import { listAll } from '@lateen/kube';
import { plannedSetting, refused, settingResource } from '@lateen/storage-rest';
import { longhornGroup, longhornVersion, type Setting } from '@lateen/storage-types';
import {
  checkSettingInCluster,
  cronProblem,
  definitionOf,
  deniedByWebhook,
  settingWarning,
} from '@lateen/volume-decisions';
import { listings } from '../reading/listings.ts';
import { type Handle, longhornNeed, type RestPorts, type Route } from '../serving/rest-call.ts';
import { withRetries } from '../writing/with-retries.ts';
import { createObject, readNow, updateObject } from '../writing/write-object.ts';
import { listEndpoint } from './collection-routes.ts';

/** An unknown name is not answered with 404: clients look for this message. */
const notSupported = (name: string) => refused(`setting ${name} is not supported`);

const one: Handle = ({ name, base }, { reader }) => {
  const body = listings.settings?.one(reader, name, base);
  if (body === undefined) throw notSupported(name);
  return { body };
};

const put: Handle = async (call, ports) => {
  const { name, signal, base } = call;
  const value = plannedSetting(name, call.body(), { cronProblem });
  await checkInCluster(name, value, ports, signal);
  const setting = await withRetries(ports, signal, async () => {
    const stored = await readNow(ports, 'settings', name, signal);
    if (stored === undefined) return createObject(ports, 'settings', newSetting(name, value), signal);
    return stored.value === value ? stored : updateObject(ports, 'settings', { ...stored, value }, signal);
  });
  return { body: settingResource(name, setting, base), ...warningOf(name) };
};

/** The warning for a setting that is stored and has no effect here. */
function warningOf(name: string): { warning?: string } {
  const definition = definitionOf(name);
  const warning = definition === undefined ? undefined : settingWarning(definition);
  return warning === undefined ? {} : { warning };
}

const newSetting = (name: string, value: string): Setting => ({
  apiVersion: `${longhornGroup}/${longhornVersion}`,
  kind: 'Setting',
  metadata: { name },
  value,
});

async function checkInCluster(name: string, value: string, ports: RestPorts, signal: AbortSignal): Promise<void> {
  const classes = name === 'priority-class' && value !== '' ? await priorityClasses(ports, signal) : new Set<string>();
  const attached = { v1: 0, v2: 0 };
  for (const { spec, status } of ports.reader.list('volumes'))
    if (status?.state === 'attached') attached[spec.dataEngine ?? 'v1'] += 1;
  const refusal = checkSettingInCluster({ name, value, priorityClasses: classes, attached });
  if (refusal !== undefined) throw refused(deniedByWebhook(refusal));
}

async function priorityClasses({ api }: RestPorts, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const { items } = await listAll(api, priorityClassType, { signal });
  return new Set(items.map(({ metadata }) => metadata.name ?? ''));
}

export const settingRoutes: readonly Route[] = [
  { path: '/v1/settings', methods: { GET: listEndpoint('settings') } },
  {
    path: '/v1/settings/:name',
    methods: {
      GET: { needs: [longhornNeed('get', 'settings')], handle: one },
      PUT: { needs: [longhornNeed('update', 'settings')], handle: put },
    },
  },
];
