export type { AsyncBR, DataPathCallbacks } from './async-br.ts';
export type { AccessPoint, BackupResult, DataPathProgress, RestoreResult, VolumeMode } from './data-path-result.ts';
export { canceledSuffix, interruptedSuffix } from './ending-words.ts';
export { type FenceLimits, fenceLimits } from './fence-limits.ts';
export { type GuardedCallbacks, guardedCallbacks } from './guarded-callbacks.ts';
export { type InProcessOptions, inProcessDataPath, type OpenEngine } from './in-process.ts';
export type { ReadReport } from './read-report.ts';
export { type RestoreLimit, type RestoreReport, restoreLimits } from './restore-report.ts';
export type {
  DownloadRequest,
  DownloadResult,
  SnapshotSource,
  Uploader,
  UploadRequest,
  UploadResult,
} from './uploader.ts';
