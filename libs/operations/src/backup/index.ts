export { backupHasEnded, backupNoun, backupPhaseOf } from './backup-noun.ts';
export {
  checkLocations,
  createBackup,
  newBackup,
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
export { followBackup } from './follow-backup.ts';
export { causesOf } from './inspect/causes.ts';
export { type InspectedBackup, type InspectOptions, inspectBackup } from './inspect/inspect-backup.ts';
export { sortBackups } from './sort-backups.ts';
