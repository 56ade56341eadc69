import type { Engine, Frontend, RecurringJob, RecurringJobsNote, Replica } from '@lateen/storage-types';
import type { WantedBackup } from '../content/wanted-backup.ts';
import type { Place } from '../scheduler/place-request.ts';

/**
 * The writes for a volume. Every change of an Engine or Replica is an update of the object as it was read, guarded by
 * its resourceVersion (`changedEngine`, `changedReplica`).
 */
export type VolumeEffect =
  | { readonly do: 'create-engine'; readonly object: Engine }
  | { readonly do: 'create-replica'; readonly object: Replica }
  | EngineChange
  | ReplicaChange
  /** Deleted as any client would delete it: the controller of the object cleans up and removes the finalizer. */
  | { readonly do: 'delete'; readonly kind: OwnedByVolume; readonly name: string }
  /** Raises `spec.size` of the Volume, because its content needs that size. */
  | { readonly do: 'grow-volume'; readonly sizeBytes: bigint }
  /** A job that does not exist; it has no owner. */
  | { readonly do: 'create-recurring-job'; readonly object: RecurringJob }
  /**
   * The state of the recurring jobs that are restored with the volume and, in the same write, the labels that the volume has no
   * value for.
   */
  | {
      readonly do: 'note-recurring-jobs';
      readonly note: RecurringJobsNote;
      readonly labels: Readonly<Record<string, string>>;
    }
  /** Removes the finalizer of the volume: nothing of it is left. */
  | { readonly do: 'release-volume' };

export type OwnedByVolume = 'Engine' | 'Replica' | 'Snapshot' | 'VolumeAttachment';

export type EngineChange =
  /**
   * Begins generation `from` + 1. The guard makes sure that no failure was recorded after the known ones were folded; from here
   * on the old engine can record nothing.
   */
  | {
      readonly do: 'begin-start';
      readonly from: number;
      readonly nodeID: string;
      readonly proof: 'ended' | 'unproved';
      readonly addresses: Addresses;
      readonly disableFrontend: boolean;
      readonly readPrimary?: string;
    }
  /** The engine of the current generation may start, with exactly these replicas. */
  | { readonly do: 'let-start'; readonly addresses: Addresses; readonly readPrimary?: string }
  | { readonly do: 'set-addresses'; readonly addresses: Addresses }
  | { readonly do: 'stop-engine' }
  | { readonly do: 'read-from'; readonly replica: string }
  | { readonly do: 'grow-engine'; readonly sizeBytes: bigint }
  /** A backup is to be restored into the volume; the same update writes what the volume holds by now. */
  | ({ readonly do: 'request-restore'; readonly backupVolume: string } & WantedBackup)
  /** No restore is requested any more, and from now on the volume is served by this front end. */
  | { readonly do: 'end-restore'; readonly frontend?: Frontend };

export type ReplicaChange =
  | { readonly do: 'place-replica'; readonly replica: string; readonly place: Place; readonly hardNode?: string }
  | { readonly do: 'run-replica'; readonly replica: string }
  | { readonly do: 'stop-replica'; readonly replica: string }
  | { readonly do: 'fail-replica'; readonly replica: string; readonly failedAt: string; readonly cause: string }
  /** The replica has all data now. */
  | { readonly do: 'mark-healthy'; readonly replica: string; readonly at: string }
  /** Salvage: the data of this replica counts as the data of the volume. */
  | { readonly do: 'clear-failure'; readonly replica: string; readonly at: string }
  /** The replica runs, but its data is not used until the engine has copied what is missing. */
  | { readonly do: 'request-rebuild'; readonly replica: string }
  | { readonly do: 'rebuild-failed'; readonly replica: string; readonly failedAt: string; readonly cause: string }
  | { readonly do: 'grow-replica'; readonly replica: string; readonly sizeBytes: bigint };

export type Addresses = Readonly<Record<string, string>>;
