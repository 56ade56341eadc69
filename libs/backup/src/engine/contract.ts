import type { Backup } from '@lateen/api-types';
import type { BackupOperation, BackupVolumeInfo } from '@lateen/backup-store';
import type { ActionContext } from '@lateen/item-actions';

/** How far the collecting and storing of objects is. */
export interface ItemProgress {
  /** Grows while lists are still read. */
  totalItems: number;
  itemsBackedUp: number;
}

/** What came of all objects of a backup. Warnings and errors are counted by the backup's log. */
export interface ItemsOutcome extends ItemProgress {
  /** Started by actions, still to be followed. */
  operations: BackupOperation[];
  volumes: BackupVolumeInfo[];
  hooks: { attempted: number; failed: number };
  csiSnapshotsAttempted: number;
}

/** The backup as it is worked on: validated, with the spec that the server has completed. */
export type RunningBackup = Backup & Required<Pick<Backup, 'status'>>;

/** What the engine gives an action beside what it decides itself. */
export type EngineContext = Omit<ActionContext, 'volumes' | 'noteVolume' | 'backup'>;
