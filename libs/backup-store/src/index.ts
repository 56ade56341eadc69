export {
  type BackupOperation,
  type OperationPhase,
  type OperationStatus,
  operationPhases,
  type RestoreOperation,
} from './files/item-operations.ts';
export {
  type ItemOutcome,
  type ItemOutcomeKind,
  itemOutcomeKinds,
} from './files/item-outcome.ts';
export type { ResourceIdentifier } from './files/resource-identifier.ts';
export type { ResourceList } from './files/resource-list.ts';
export type { Result, Results } from './files/results.ts';
export {
  type BackupMethod,
  type BackupVolumeInfo,
  backupMethods,
  type CsiSnapshotInfo,
  type NativeSnapshot,
  type NativeSnapshotInfo,
  type PersistentVolumeInfo,
  type PodVolumeInfo,
  type SnapshotDataMovementInfo,
} from './files/volume-info.ts';
