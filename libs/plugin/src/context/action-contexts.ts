import { isLabelKey } from '@lateen/api-types';
import { findActionConfig } from '@lateen/item-actions';
import type { Clock, Logger } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { PluginKind } from '@lateen/plugin-protocol';
import type { ActionContext } from '../contract/action-context.ts';
import type { Offer } from '../define-plugin.ts';
import { type PluginConfig, pluginConfig } from './plugin-config.ts';

/** What contexts are made of; the same for all calls of a process. */
export interface PluginPorts {
  log: Logger;
  clock: Clock;
  kube: KubeApi;
  /** Of the server. */
  namespace: string;
}

/** Makes the context of one call. `run` is the Backup or Restore that it is part of: what is read for that is kept as long as it. */
export type ContextOf = (offer: Offer, call: { signal: AbortSignal }, run?: object) => ActionContext;

/** Contexts over these ports; configurations are read once per run. */
export function actionContexts(ports: PluginPorts): ContextOf {
  const kept = new WeakMap<object, Map<string, Promise<Readonly<Record<string, string>>>>>();
  const { log, clock, kube, namespace } = ports;
  return (offer, { signal }, run) => {
    const read = () => readData(offer, ports, signal);
    const data = () => (run === undefined ? read() : keptData(kept, run, `${offer.kind} ${offer.name}`, read));
    const place = { kube, namespace, action: offer.name, kind: configKinds(offer.kind)[0], signal };
    const config = async (): Promise<PluginConfig> => pluginConfig(await data(), place);
    return { name: offer.name, log: log.child({ '@module': offer.name }), signal, clock, kube, namespace, config };
  };
}

/** Both versions of an action have the same configuration: it was written before its program learned version 2. */
function configKinds(kind: PluginKind): readonly [string, ...string[]] {
  const plain = kind.replace(/V2$/, '');
  return plain === kind ? [kind] : [plain, kind];
}

async function readData({ name, kind }: Offer, { kube, namespace }: PluginPorts, signal: AbortSignal) {
  // A name that no label can have has no configuration, as in Velero.
  if (!isLabelKey(name)) return {};
  return (await findActionConfig(kube, { namespace, action: name, kinds: configKinds(kind), signal })) ?? {};
}

function keptData<T>(kept: WeakMap<object, Map<string, Promise<T>>>, run: object, key: string, read: () => Promise<T>) {
  const ofRun = kept.get(run) ?? new Map<string, Promise<T>>();
  kept.set(run, ofRun);
  const known = ofRun.get(key);
  if (known !== undefined) return known;
  const reading = read();
  ofRun.set(key, reading);
  // The next call reads it again.
  reading.catch(() => ofRun.delete(key));
  return reading;
}
