import type { Orphan } from '@lateen/storage-types';
import type { Settings } from '../settings/read-settings.ts';

/** A folder below `replicas/` of a disk, as the host of the node lists it. */
export interface FolderFacts {
  /** The volume that its replica.json names; undefined when there is no such file, or none that can be read. */
  readonly volume: string | undefined;
}

/** A process without an object of its own, as the host lists it. */
export interface InstanceFacts {
  readonly uuid: string;
}

export interface OrphanSeen {
  readonly orphan: Orphan;
  /** Why the node cannot be asked, or must not be worked on: it is down, it is evicted. */
  readonly nodeProblem?: string;
  /** The same for the disk: it is not ready, it is evicted, another one is mounted in its place. */
  readonly diskProblem?: string;
  /** `gone`: the host has looked and it is not there. Undefined: nobody has looked. */
  readonly folder?: FolderFacts | 'gone';
  readonly instance?: InstanceFacts | 'gone';
  /** Names of all Volumes; undefined as long as they have not all been read. */
  readonly volumes?: ReadonlySet<string>;
  /** An object that what was found belongs to after all: a Replica of the folder, an Engine or Replica of the process. */
  readonly owner?: string;
  readonly settings: Settings;
}

/** Each may be repeated. */
export type OrphanEffect = { readonly do: 'delete-data' | 'stop-instance' | 'drop-finalizer' | 'delete-orphan' };
