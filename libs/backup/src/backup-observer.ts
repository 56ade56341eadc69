import type { Backup } from '@lateen/api-types';

/** Receives what happens to backups, for metrics. Must not throw. */
export interface BackupObserver {
  /** Receives a function that reads the Backups of the cluster at any time. */
  readings(read: () => readonly Backup[]): void;
  /** Called when a phase change was stored. */
  moved(before: Backup, after: Backup): void;
  /** Called when the archive of a backup was stored. */
  archived(backup: Backup, bytes: number): void;
}
