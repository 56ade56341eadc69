export { backupHasEnded, backupNoun, backupPhaseOf } from './backup-noun.ts';
export { BackupProgressMeter, type BackupProgressView, type Progress } from './backup-progress.ts';
export {
  checkLocations,
  createBackup,
  newBackup,
  newBackupFromSchedule,
  type WantedBackup,
  type WantedFromSchedule,
} from './create-backup.ts';
export { type BackupSight, followBackup } from './follow-backup.ts';
export { sortBackups } from './sort-backups.ts';
