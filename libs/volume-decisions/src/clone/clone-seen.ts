import type { Engine, Snapshot, Volume } from '@lateen/storage-types';

/** What the host of the engine reports about the copying transfer. */
export type CloneTransfer =
  | { readonly state: 'running' }
  | { readonly state: 'completed' }
  | { readonly state: 'failed'; readonly code: string; readonly error: string }
  /** The host answers and has no such transfer. */
  | { readonly state: 'absent' }
  /** The host does not answer. */
  | { readonly state: 'silent' };

export interface CloneSeen {
  /** The clone. */
  readonly volume: Volume;
  readonly engine?: Engine;
  /** Absent only when the object was read and does not exist; the caller never guesses. */
  readonly source?: Volume;
  /** The snapshot that `status.cloneStatus.snapshot` names. */
  readonly snapshot?: Snapshot;
  /** State of the current attempt's transfer, on the node of the engine. */
  readonly transfer: CloneTransfer;
  /**
   * Replicas of the source that can be read: the engine uses them, and their instance managers answer. Those on the node of the clone's engine come
   * first.
   */
  readonly readable: readonly string[];
}

export type CloneEffect =
  | { readonly do: 'create-snapshot'; readonly object: Snapshot }
  | { readonly do: 'delete-snapshot' }
  /** The engine has copied everything; the request for the copy is removed. */
  | { readonly do: 'mark-filled' }
  /** Safe to repeat: the name makes sure that it is begun once. */
  | { readonly do: 'start-clone'; readonly attempt: number; readonly replica: string }
  | { readonly do: 'stop-clone'; readonly attempt: number };

/** Each attempt has a transfer name of its own. */
export const cloneTransferName = (volume: string, attempt: number): string => `clone-${volume}-${attempt}`;

/** The volume that a transfer belongs to; undefined for a transfer that is not a clone. */
export const volumeOfCloneTransfer = (transfer: string): string | undefined => /^clone-(.+)-\d+$/.exec(transfer)?.[1];

/** The copy has not been made yet, or is being made. */
export const isCloning = ({ status, metadata }: Volume): boolean =>
  status?.cloneStatus?.state === 'initiated' && metadata.deletionTimestamp === undefined;
