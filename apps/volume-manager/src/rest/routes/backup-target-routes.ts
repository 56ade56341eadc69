import { apiTime } from '@lateen/kube';
import {
  type BackupTargetsSeen,
  backupTargetResource,
  notFound,
  plannedTarget,
  plannedTargetSync,
  targetsToSync,
} from '@lateen/storage-rest';
import { type BackupTarget, longhornGroup, longhornVersion } from '@lateen/storage-types';
import { checkBackupTargetDeletion } from '@lateen/volume-decisions';
import { type Handle, longhornNeed, type RestPorts, type Route } from '../serving/rest-call.ts';
import { createObject, readNow } from '../writing/write-object.ts';
import { changeObject } from './change-object.ts';
import { collectionAnswer, listEndpoint, oneEndpoint } from './collection-routes.ts';
import { deleteEndpoint } from './delete-endpoint.ts';

const seenBy = ({ reader }: RestPorts): BackupTargetsSeen => ({
  targets: reader.list('backupTargets'),
  volumes: reader.list('volumes'),
});

/** An existing one is answered unchanged. */
const create: Handle = async (call, ports) => {
  const { name, spec } = plannedTarget(call.body(), seenBy(ports));
  const there = await readNow(ports, 'backupTargets', name, call.signal);
  if (there !== undefined) return { body: backupTargetResource(there, call.base) };
  const object: BackupTarget = {
    apiVersion: `${longhornGroup}/${longhornVersion}`,
    kind: 'BackupTarget',
    metadata: { name },
    spec,
  };
  return { body: backupTargetResource(await createObject(ports, 'backupTargets', object, call.signal), call.base) };
};

/** The name in the body selects the target; the path does not matter. */
const update: Handle = async (call, ports) => {
  const { name, spec } = plannedTarget(call.body(), seenBy(ports));
  const change = (before: BackupTarget) => ({ ...before, spec: { ...before.spec, ...spec } });
  const target = await changeObject(ports, { name, signal: call.signal }, 'backupTargets', change);
  return { body: backupTargetResource(target, call.base) };
};

const sync: Handle = async (call, ports) => {
  const body = call.body();
  const target = await changeObject(ports, call, 'backupTargets', (before) => {
    const spec = plannedTargetSync(before, body, ports.clock.now());
    return spec === undefined ? undefined : { ...before, spec };
  });
  return { body: backupTargetResource(target, call.base) };
};

const syncAll: Handle = async ({ base, body, signal }, ports) => {
  const nowMs = ports.clock.now();
  for (const { metadata } of targetsToSync(ports.reader.list('backupTargets'), body(), nowMs))
    await changeObject(ports, { name: metadata.name ?? '', signal }, 'backupTargets', (before) => ({
      ...before,
      spec: { ...before.spec, syncRequestedAt: apiTime(nowMs) },
    }));
  return collectionAnswer('backuptargets', ports.reader, base);
};

const act: Handle = (call, ports) => {
  if (call.action === 'backupTargetSync') return sync(call, ports);
  if (call.action === 'backupTargetUpdate') return update(call, ports);
  throw notFound(`backup target ${call.name} has no action ${JSON.stringify(call.action)}`);
};

const changing = [longhornNeed('update', 'backuptargets')];

export const backupTargetRoutes: readonly Route[] = [
  {
    path: '/v1/backuptargets',
    methods: {
      GET: listEndpoint('backuptargets'),
      POST: { needs: [longhornNeed('create', 'backuptargets')], handle: create },
      PUT: { needs: changing, handle: syncAll },
    },
  },
  {
    path: '/v1/backuptargets/:name',
    methods: {
      GET: oneEndpoint('backuptargets'),
      POST: { needs: changing, handle: act },
      DELETE: deleteEndpoint('backuptargets', 'backupTargets', ({ metadata }) =>
        checkBackupTargetDeletion(metadata.name ?? ''),
      ),
    },
  },
];
