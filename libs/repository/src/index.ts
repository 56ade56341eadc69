export {
  backupRepositoryName,
  clientIdentity,
  formatBlobName,
  kopiaRepositoryType,
  markerBlobName,
  ownerText,
  type RepositoryType,
  repositoryPrefix,
  repositoryTypes,
  resticRepositoryType,
} from './conventions/repository-names.ts';
export { dataUploadSource, type SnapshotIdentity } from './conventions/snapshot-source.ts';
export { uploaderTypeKey, uploaderTypeOf } from './conventions/uploader-type.ts';
export {
  type BackupRepositoryKey,
  backupRepositoryLabels,
  findBackupRepository,
  findOrCreateBackupRepository,
} from './cr/find-backup-repository.ts';
export { readRepositoryPassword } from './cr/repository-password.ts';
export { readyBackupRepository, type WaitRepositoryOptions } from './cr/wait-repository-ready.ts';
export { clearPrivateDirectory, writePrivateFile } from './credentials/private-file.ts';
export { HeadText, TailText } from './engine/bounded-text.ts';
export {
  engineFailure,
  type FailureSubject,
  failureTextLimits,
  type KnownFailure,
  repositoryFailures,
} from './engine/engine-failure.ts';
export { engineMemory, engineShareBytes } from './engine/engine-memory.ts';
export { type EngineExit, type EngineProcess, type EngineRun, engineOutputLimits } from './engine/engine-process.ts';
export { type GoRuntime, goVariables } from './engine/go-runtime.ts';
export { cacheLimitDefaultMB, cacheLimitMB } from './engine/kopia-config.ts';
export {
  type KopiaSession,
  openKopiaSession,
  type RepositoryTarget,
  type SessionOptions,
  type SessionRun,
} from './engine/kopia-session.ts';
export { redact } from './engine/redact.ts';
export { type SessionPlaces, secretsDirectoryOf } from './engine/session-files.ts';
export { type SpawnedEngineOptions, spawnedEngine } from './engine/spawned-engine.ts';
export {
  type AwsCredentials,
  type AwsPodIdentity,
  type AwsRole,
  parseAwsCredentials,
} from './location/aws-credentials.ts';
export type { AccountResource, ListAccountKey } from './location/azure-account-key.ts';
export type { AzurePrincipal } from './location/azure-credentials.ts';
export { providerOf } from './location/provider-of.ts';
export { credentialSecretOf, readLocation, secretsOf } from './location/read-location.ts';
export { readSecretKey, type SecretKey, secretKeyText } from './location/read-secret-key.ts';
export { type LocationSecrets, resolveLocation } from './location/resolve-location.ts';
export type {
  AzureLocation,
  CommonLocation,
  FsLocation,
  GcpLocation,
  ResolvedLocation,
  S3Location,
} from './location/resolved-location.ts';
export { parseCustomerKeySecret } from './location/s3-options.ts';
export {
  type LocationRates,
  type ReadTransferRate,
  readTransferRate,
  transferRateForm,
} from './location/transfer-rate.ts';
export { decideInitialisation, type Initialisation, type RepositoryFacts } from './open/decide-initialisation.ts';
export { type InitialiseOptions, type InitialiseOutcome, initialiseRepository } from './open/initialise-repository.ts';
export { initialiseResticRepository, type ResticInitialisation } from './restic/initialise-restic.ts';
export { resticFailures } from './restic/restic-failure.ts';
export { type ResticPlace, resticPlace } from './restic/restic-place.ts';
export { type ItemError, parseItemError, plainStderr } from './restic/restic-said.ts';
export { openResticSession, type ResticRun, type ResticSession } from './restic/restic-session.ts';
