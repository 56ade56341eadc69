export {
  type BackupOperation,
  backupOperationsFile,
  type OperationPhase,
  type OperationStatus,
  operationPhases,
  type RestoreOperation,
  restoreOperationsFile,
} from './files/item-operations.ts';
export {
  type ItemOutcome,
  type ItemOutcomeKind,
  itemOutcomeKinds,
  outcomesIn,
} from './files/item-outcome.ts';
export { type NativeSnapshot, nativeSnapshotsFile } from './files/native-snapshots.ts';
export { type ResourceIdentifier, resourceIdentifierOf } from './files/resource-identifier.ts';
export { type ResourceList, type ResourceListEntry, resourceListFile } from './files/resource-list.ts';
export {
  isPlanEdge,
  type RestoreItemAct,
  type RestoreItemOutcome,
  type RestorePlanEdge,
  type RestorePlanLine,
  restoreItemActs,
  restoreOutcomesIn,
  restorePlanIn,
} from './files/restore-item-outcome.ts';
export { type Result, type Results, resultsFile } from './files/results.ts';
export { objectsFile } from './files/stored-objects.ts';
export {
  type BackupMethod,
  type BackupVolumeInfo,
  backupMethods,
  type CsiSnapshotInfo,
  type NativeSnapshotInfo,
  type PersistentVolumeInfo,
  type PodVolumeInfo,
  type RestoreVolumeInfo,
  restoreVolumeInfoFile,
  type SnapshotDataMovementInfo,
  volumeInfoFile,
} from './files/volume-info.ts';
export type { JsonFile } from './json/json-file.ts';
export { type BackupFile, backupFiles, backupKey } from './keys/backup-key.ts';
export { directoryOfAll } from './keys/directories.ts';
export { objectKey, type TargetOwner, targetOwner } from './keys/object-key.ts';
export { type RestoreFile, restoreKey } from './keys/restore-key.ts';
export { ResultLines, resultLinesMax } from './results/result-lines.ts';
export { type ResultLine, resultLine } from './results/result-text.ts';
export { type BackupStore, backupStore } from './store/backup-store.ts';
export type { StoreOptions } from './store/file-store.ts';
export { type RestoreStore, restoreStore } from './store/restore-store.ts';
