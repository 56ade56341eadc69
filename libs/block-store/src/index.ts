export type { BackupPlan, BackupProgress, BackupResult } from './backup/backup-plan.ts';
export type { BlockSource, Extent } from './backup/block-source.ts';
export type { BackupCall } from './backup/run-backup.ts';
export {
  type BlockBackupStore,
  type BlockBackupStoreOptions,
  type BlockCatalog,
  type BlockCatalogOptions,
  blockBackupStore,
  blockCatalog,
} from './block-backup-store.ts';
export { type BlockCodec, CodecError } from './codec/block-codec.ts';
export {
  type BackupMode,
  type BaseDecision,
  type BaseSeen,
  backupModes,
  decideBase,
  type FullBecause,
} from './decide/decide-base.ts';
export { type CollectionSeen, decideCollection, type KeptBecause, unreferenced } from './decide/decide-collection.ts';
export { decideLock, type LockRefusal, lockExpiryMs, type SeenLock } from './decide/decide-lock.ts';
export { HashSet } from './decide/hash-set.ts';
export {
  type BackupSummary,
  backupConfigPieces,
  blockBytesOf,
  blockSizes,
  isInProgress,
  parseBackupConfig,
  type StoredBackup,
} from './format/backup-config.ts';
export { BlockList, BlockListBuilder, noBlocks, overlaid } from './format/block-list.ts';
export { type CompressionMethod, compressionMethods } from './format/compression-method.ts';
export { type LockFile, lockFileText, lockTypes, parseLockFile } from './format/lock-file.ts';
export { parseVolumeConfig, type StoredVolume, volumeConfigText } from './format/volume-config.ts';
export { blockHash } from './names/block-hash.ts';
export { checkStoreName, isListedVolume, isStoreName, newBackupName, newLockName } from './names/store-names.ts';
export { type StorePaths, storePaths, type VolumePaths } from './names/store-paths.ts';
export { type BackupOfVolume, backupUrl, parseBackupUrl, parseTargetUrl, type TargetUrl } from './names/target-url.ts';
export type { DeletionResult } from './remove/delete-backup.ts';
export type { BlockSink, RestoreCall, RestoreProgress, RestoreResult } from './restore/run-restore.ts';
export type { ListedVolume } from './store/list-store.ts';
export { type OpenTargetPorts, openTarget } from './store/open-target.ts';
export type { Call } from './store/store-context.ts';
