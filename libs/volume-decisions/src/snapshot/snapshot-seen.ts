import type { Labels } from '@lateen/kube';
import type { Backup, Engine, Snapshot, Volume } from '@lateen/storage-types';
import type { Settings } from '../settings/read-settings.ts';

export interface SnapshotSeen {
  readonly snapshot: Snapshot;
  /** Absent only when the object was read and does not exist; the caller never guesses. */
  readonly volume?: Volume;
  readonly engine?: Engine;
  /** Backups of the snapshot. */
  readonly backups: readonly Backup[];
  /** Names of volumes that are being cloned from the snapshot. */
  readonly clones: readonly string[];
  readonly settings: Settings;
}

/** Each may be repeated. */
export type SnapshotEffect =
  | { readonly do: 'add-finalizer' | 'drop-finalizer' }
  | { readonly do: 'take-snapshot'; readonly labels: NonNullable<Labels>; readonly freeze: boolean }
  | { readonly do: 'mark-removed' };

export const isRunning = ({ engine }: SnapshotSeen): boolean => engine?.status?.currentState === 'running';

export const wasTaken = ({ status }: Snapshot): boolean => (status?.creationTime ?? '') !== '';
