import type { Backup } from '@lateen/api-types';

/** Told what happens to backups; metrics follow from it. Must not throw. */
export interface BackupObserver {
  /** Where the Backups of the cluster can be read at any time. */
  readings(read: () => readonly Backup[]): void;
  /** A move to another phase was stored. */
  moved(before: Backup, after: Backup): void;
  /** The archive of a backup was stored. */
  archived(backup: Backup, bytes: number): void;
}
