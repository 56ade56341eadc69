import type { Instance, InstanceKind } from '@lateen/block-engine';

/**
 * What a manager knows of the instance manager of a node. `silent`: its watch tells nothing at the moment; `down`: for so long that the
 * node is called down; `gone`: the node is not part of the cluster any more: it has no node of Kubernetes, or no longhorn Node.
 */
export interface HostFacts {
  readonly reach: 'answers' | 'silent' | 'down' | 'gone';
  /** Of its pod. */
  readonly ip: string;
  readonly instanceManager: string;
  /** All that it has, once its watch is synced; what is missing while it answers does not run. */
  readonly instances: readonly Instance[];
}

export const instanceOf = (host: HostFacts, kind: InstanceKind, name: string): Instance | undefined =>
  host.instances.find((instance) => instance.kind === kind && instance.name === name);

/** It is there, and something of it may run. */
export const isThere = (instance: Instance | undefined): instance is Instance =>
  instance !== undefined && instance.state !== 'stopped' && instance.state !== 'error';
