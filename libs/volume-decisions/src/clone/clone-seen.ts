import type { Engine, Snapshot, Volume } from '@lateen/storage-types';

/** What the host of the engine says of the transfer that copies. */
export type CloneTransfer =
  | { readonly state: 'running' }
  | { readonly state: 'completed' }
  | { readonly state: 'failed'; readonly code: string; readonly error: string }
  /** The host answers and has none. */
  | { readonly state: 'absent' }
  /** The host does not answer. */
  | { readonly state: 'silent' };

export interface CloneSeen {
  /** The clone. */
  readonly volume: Volume;
  readonly engine?: Engine;
  /** Absent when there is none; whoever gathers has read it, and does not guess. */
  readonly source?: Volume;
  /** Of `status.cloneStatus.snapshot`. */
  readonly snapshot?: Snapshot;
  /** Of the present try, on the node of the engine. */
  readonly transfer: CloneTransfer;
  /** Replicas of the source that can be read: the engine has them in use, and their instance managers answer. Those on the node of the clone's engine first. */
  readonly readable: readonly string[];
}

export type CloneEffect =
  | { readonly do: 'create-snapshot'; readonly object: Snapshot }
  | { readonly do: 'delete-snapshot' }
  /** The engine is not asked for the copy any more: it has all of it. */
  | { readonly do: 'mark-filled' }
  /** Safe to repeat: by its name it is begun once. */
  | { readonly do: 'start-clone'; readonly attempt: number; readonly replica: string }
  | { readonly do: 'stop-clone'; readonly attempt: number };

/** Of a transfer: another try is another one. */
export const cloneTransferName = (volume: string, attempt: number): string => `clone-${volume}-${attempt}`;

/** The volume that a transfer is of; undefined for what is none of a clone. */
export const volumeOfCloneTransfer = (transfer: string): string | undefined => /^clone-(.+)-\d+$/.exec(transfer)?.[1];

/** The copy is still to be made, or is being made. */
export const isCloning = ({ status, metadata }: Volume): boolean =>
  status?.cloneStatus?.state === 'initiated' && metadata.deletionTimestamp === undefined;
