import type { Engine, Frontend, RecurringJob, RecurringJobsNote, Replica } from '@lateen/storage-types';
import type { WantedBackup } from '../content/wanted-backup.ts';
import type { Place } from '../scheduler/place-request.ts';

/**
 * What is to be written for a volume. Whatever changes an Engine or Replica is an update of the object as it was read, guarded by its
 * resourceVersion (`changedEngine`, `changedReplica`).
 */
export type VolumeEffect =
  | { readonly do: 'create-engine'; readonly object: Engine }
  | { readonly do: 'create-replica'; readonly object: Replica }
  | EngineChange
  | ReplicaChange
  /** Deleted as any client would: its own room clears up and lets go of it. */
  | { readonly do: 'delete'; readonly kind: OwnedByVolume; readonly name: string }
  /** `spec.size` of the Volume: its content needs that much. */
  | { readonly do: 'grow-volume'; readonly sizeBytes: bigint }
  /** One that is not there; it belongs to nobody. */
  | { readonly do: 'create-recurring-job'; readonly object: RecurringJob }
  /** How far the jobs are that come back with the volume, and in the same write the labels that it has no value of. */
  | {
      readonly do: 'note-recurring-jobs';
      readonly note: RecurringJobsNote;
      readonly labels: Readonly<Record<string, string>>;
    }
  /** The finalizer of the volume goes: nothing of it is left. */
  | { readonly do: 'release-volume' };

export type OwnedByVolume = 'Engine' | 'Replica' | 'Snapshot' | 'VolumeAttachment';

export type EngineChange =
  /**
   * Generation `from` + 1 begins. The guard sees to it that no failure was recorded since those that were read had been folded; the old
   * engine can record nothing from here on.
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
  /** The engine of the present generation may start, with exactly these replicas. */
  | { readonly do: 'let-start'; readonly addresses: Addresses; readonly readPrimary?: string }
  | { readonly do: 'set-addresses'; readonly addresses: Addresses }
  | { readonly do: 'stop-engine' }
  | { readonly do: 'read-from'; readonly replica: string }
  | { readonly do: 'grow-engine'; readonly sizeBytes: bigint }
  /** A backup is to be restored into the volume; what that holds by now is written in the same update. */
  | ({ readonly do: 'request-restore'; readonly backupVolume: string } & WantedBackup)
  /** No restore is asked for any more, and from now on the volume is offered by this front end. */
  | { readonly do: 'end-restore'; readonly frontend?: Frontend };

export type ReplicaChange =
  | { readonly do: 'place-replica'; readonly replica: string; readonly place: Place; readonly hardNode?: string }
  | { readonly do: 'run-replica'; readonly replica: string }
  | { readonly do: 'stop-replica'; readonly replica: string }
  | { readonly do: 'fail-replica'; readonly replica: string; readonly failedAt: string; readonly cause: string }
  /** It has all data now. */
  | { readonly do: 'mark-healthy'; readonly replica: string; readonly at: string }
  /** Salvage: what it holds is taken for the data of the volume. */
  | { readonly do: 'clear-failure'; readonly replica: string; readonly at: string }
  /** It runs, with data that count for nothing until the engine has copied what is missing. */
  | { readonly do: 'request-rebuild'; readonly replica: string }
  | { readonly do: 'rebuild-failed'; readonly replica: string; readonly failedAt: string; readonly cause: string }
  | { readonly do: 'grow-replica'; readonly replica: string; readonly sizeBytes: bigint };

export type Addresses = Readonly<Record<string, string>>;
