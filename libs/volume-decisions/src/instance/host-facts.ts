import type { Instance, InstanceKind } from '@lateen/block-engine';

/**
 * What a manager knows of the instance manager of a node. `silent`: its watch receives nothing at the moment; `down`: long enough for the node to
 * count as down; `gone`: the node is not part of the cluster any more: it has no Kubernetes Node, or no longhorn Node.
 */
export interface HostFacts {
  readonly reach: 'answers' | 'silent' | 'down' | 'gone';
  /** The address of its pod. */
  readonly ip: string;
  readonly instanceManager: string;
  /** All of its instances, once its watch is synced; an instance that is missing while it answers does not run. */
  readonly instances: readonly Instance[];
}

export const instanceOf = (host: HostFacts, kind: InstanceKind, name: string): Instance | undefined =>
  host.instances.find((instance) => instance.kind === kind && instance.name === name);

/** It exists, and a process of it may run. */
export const isThere = (instance: Instance | undefined): instance is Instance =>
  instance !== undefined && instance.state !== 'stopped' && instance.state !== 'error';
