export { backupHasEnded, backupNoun, backupPhaseOf } from './backup-noun.ts';
export { BackupProgressMeter, type BackupProgressView, type Progress } from './backup-progress.ts';
export { requestBackupCancel } from './cancel-backup.ts';
export {
  checkLocations,
  createBackup,
  newBackup,
  type WantedBackup,
} from './create-backup.ts';
export {
  type EndedDeletion,
  followDeletions,
  type RequestedDeletion,
  requestDeletion,
} from './delete-backups.ts';
export {
  type ArchiveComparison,
  type BringArchive,
  type ChangedItem,
  type ChangesOptions,
  type ChangingField,
  type ComparedItem,
  changeLines,
  changesOf,
  changingFields,
  compareArchives,
  type DiffLine,
  type DiffOptions,
  type FieldChange,
  pathText,
} from './diff/index.ts';
export { type ExplainedObject, type ExplainRequest, explainObject } from './explain/explain-object.ts';
export { type BackupSight, followBackup } from './follow-backup.ts';
export { type Cause, causesOf } from './inspect/causes.ts';
export { type InspectedBackup, type InspectOptions, inspectBackup } from './inspect/inspect-backup.ts';
export type { BringFile, FileRead } from './inspect/read-file.ts';
export type { OutcomeFilter, OutcomesRead } from './inspect/read-outcomes.ts';
export type { QueueAhead } from './queue-watch.ts';
export { sortBackups } from './sort-backups.ts';
