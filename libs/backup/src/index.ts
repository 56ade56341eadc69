export type { BackupObserver } from './backup-observer.ts';
export { type BackupSettings, backupSettingsDefault } from './backup-settings.ts';
export { backUpItems } from './engine/back-up-items.ts';
export { PodTurns } from './engine/blocks/pod-turns.ts';
export type {
  EngineContext,
  EnginePorts,
  EngineRequest,
  EngineStore,
  ItemProgress,
  ItemsOutcome,
  RunningBackup,
} from './engine/contract.ts';
export { type EngineLimits, engineLimitsDefault } from './engine/engine-limits.ts';
export type { EngineActions } from './engine/items/item-type.ts';
export { type PodVolumeOptions, podVolumeOptionsDefault } from './engine/pod-volumes/pod-volume-options.ts';
export { type BackupControllersOptions, runBackupControllers } from './run-backup-controllers.ts';
export type { ClusterVersion } from './validation/complete-backup.ts';
