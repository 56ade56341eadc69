import type { Orphan } from '@lateen/storage-types';
import type { Settings } from '../settings/read-settings.ts';

/** A folder below `replicas/` of a disk, as the host of the node lists it. */
export interface FolderFacts {
  /** The volume that its replica.json names; undefined when there is no such file, or none that can be read. */
  readonly volume: string | undefined;
}

/** A process without an object, as the host lists it. */
export interface InstanceFacts {
  readonly uuid: string;
}

export interface OrphanSeen {
  readonly orphan: Orphan;
  /** Why the node cannot be asked, or must not be changed: it is down, or being evicted. */
  readonly nodeProblem?: string;
  /** The same for the disk: it is not ready, being evicted, or another one is mounted in its place. */
  readonly diskProblem?: string;
  /** `gone`: the host has checked and it does not exist. Undefined: not checked. */
  readonly folder?: FolderFacts | 'gone';
  readonly instance?: InstanceFacts | 'gone';
  /** Names of all Volumes; undefined as long as they have not all been read. */
  readonly volumes?: ReadonlySet<string>;
  /** An object to which the folder or process belongs after all: a Replica of the folder, an Engine or Replica of the process. */
  readonly owner?: string;
  readonly settings: Settings;
}

/** Each may be repeated. */
export type OrphanEffect = { readonly do: 'delete-data' | 'stop-instance' | 'drop-finalizer' | 'delete-orphan' };
