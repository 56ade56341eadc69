export { type BlobNaming, blobNaming } from './conventions/blob-naming.ts';
export { keepsBase, readsChangesOfFiles } from './conventions/keep-base.ts';
export type {
  ChangedChunksOf,
  FilesToSplice,
  FileVersions,
  LargeFile,
  SplicedFile,
  SplicedFiles,
} from './conventions/large-files.ts';
export { podVolumeConfig, podVolumeUploaderType } from './conventions/pod-volume-config.ts';
export {
  type ClientIdentity,
  clientIdentity,
  ownerText,
  type RepositoryType,
  repositoryPrefix,
  repositoryTypes,
} from './conventions/repository-names.ts';
export { dataUploadSource, podVolumeBackupSource, type SnapshotIdentity } from './conventions/snapshot-source.ts';
export {
  blockSplitterDefault,
  blockSplitterKey,
  blockSplitterOf,
  repositorySplitter,
  splitterNames,
  splitterOf,
} from './conventions/splitter.ts';
export { checkUploadConfig } from './conventions/upload-config.ts';
export { knownUploaderType, uploaderTypeKey, uploaderTypeOf } from './conventions/uploader-type.ts';
export { type EnsuredPassword, ensureRepositoryPassword } from './cr/ensure-password.ts';
export {
  type BackupRepositoryKey,
  findBackupRepository,
  findOrCreateBackupRepository,
} from './cr/find-backup-repository.ts';
export { readRepositoryPassword } from './cr/repository-password.ts';
export { readyBackupRepository, type WaitRepositoryOptions } from './cr/wait-repository-ready.ts';
export { isWellKnownPassword } from './cr/well-known-password.ts';
export { engineFailure, type FailureSubject, type KnownFailure, repositoryFailures } from './engine/engine-failure.ts';
export { engineMemory, engineShareBytes } from './engine/engine-memory.ts';
export type { EngineExit, EngineProcess, EngineRun } from './engine/engine-process.ts';
export type { GoRuntime } from './engine/go-runtime.ts';
export { killedFailure } from './engine/killed-failure.ts';
export { cacheLimitMB } from './engine/kopia-config.ts';
export { type KopiaSession, openKopiaSession, type SessionOptions, type SessionRun } from './engine/kopia-session.ts';
export type { RepositoryTarget } from './engine/repository-target.ts';
export { type SessionPlaces, secretsDirectoryOf } from './engine/session-files.ts';
export { isRetried } from './engine/survived-lines.ts';
export { type InitialiseOptions, type InitialiseOutcome, initialiseRepository } from './open/initialise-repository.ts';
export { isRepositoryThere } from './open/is-repository-there.ts';
export { type FormatLook, lookAtFormat } from './open/look-at-format.ts';
export { initialiseResticRepository, type ResticInitialisation } from './restic/initialise-restic.ts';
export { resticFailures } from './restic/restic-failure.ts';
export type { ResticPlace } from './restic/restic-override.ts';
export { resticPlace } from './restic/restic-place.ts';
export { type ItemError, parseItemError, plainStderr } from './restic/restic-said.ts';
export { openResticSession, type ResticRun, type ResticSession } from './restic/restic-session.ts';
