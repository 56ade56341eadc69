import {
  type HostInstanceState,
  hostError,
  type Instance,
  type InstanceEvent,
  type InstanceKind,
  type InstanceRef,
} from '@lateen/block-engine';
import * as wire from './generated/instance.ts';

const kinds = {
  replica: wire.Kind.REPLICA,
  engine: wire.Kind.ENGINE,
  frontend: wire.Kind.FRONTEND,
  transfer: wire.Kind.TRANSFER,
} as const satisfies Record<InstanceKind, wire.Kind>;

const states = {
  starting: wire.State.STARTING,
  running: wire.State.RUNNING,
  stopping: wire.State.STOPPING,
  stopped: wire.State.STOPPED,
  error: wire.State.ERROR,
} as const satisfies Record<HostInstanceState, wire.State>;

const keyOf = <Key extends string>(table: Readonly<Record<Key, number>>, value: number): Key | undefined =>
  (Object.keys(table) as Key[]).find((key) => table[key] === value);

export const kindToWire = (kind: InstanceKind): wire.Kind => kinds[kind];

/** @throws `INVALID_ARGUMENT` for a kind that this version does not know */
export function kindFromWire(kind: number): InstanceKind {
  const known = keyOf(kinds, kind);
  if (known === undefined) throw hostError('INVALID_ARGUMENT', `there are no instances of kind ${kind}`);
  return known;
}

export const instanceToWire = (instance: Instance): wire.Instance => ({
  ...instance,
  kind: kinds[instance.kind],
  state: states[instance.state],
});

export function instanceFromWire(instance: wire.Instance): Instance {
  const kind = kindFromWire(instance.kind);
  const state = keyOf(states, instance.state);
  if (state !== undefined) return { ...instance, kind, state };
  const message = `the instance is in state ${instance.state}, which this version does not know`;
  return { ...instance, kind, state: 'error', error: { code: 'API_VERSION', message } };
}

const refFromWire = ({ kind, name }: wire.InstanceRef): InstanceRef => ({ kind: kindFromWire(kind), name });

export function eventToWire(event: InstanceEvent): wire.InstanceEvent {
  switch (event.type) {
    case 'changed':
      return { changed: instanceToWire(event.instance) };
    case 'gone':
      return { gone: { kind: kinds[event.instance.kind], name: event.instance.name } };
    case 'synced':
      return { synced: {} };
    case 'heartbeat':
      return { heartbeat: { atMs: event.atMs } };
  }
}

/** Undefined for values of a newer instance manager that this version does not know: the rest is still read. */
export function eventFromWire({ changed, gone, synced, heartbeat }: wire.InstanceEvent): InstanceEvent | undefined {
  if (synced !== undefined) return { type: 'synced' };
  if (heartbeat !== undefined) return { type: 'heartbeat', atMs: heartbeat.atMs };
  const instance = changed ?? gone;
  if (instance === undefined || keyOf(kinds, instance.kind) === undefined) return undefined;
  if (changed !== undefined) return { type: 'changed', instance: instanceFromWire(changed) };
  return { type: 'gone', instance: refFromWire(instance) };
}
