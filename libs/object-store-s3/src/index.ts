export { type BackupTargetBucket, backupTargetConfig, backupTargetStore } from './backup-target-store.ts';
export { type ContainerCredentials, containerKeys } from './credentials/container-keys.ts';
export type { S3CredentialSource, S3Keys } from './credentials/credential-source.ts';
export { type EnvironmentKeysOptions, environmentKeys } from './credentials/environment-keys.ts';
export { instanceKeys } from './credentials/instance-keys.ts';
export { type S3Role, type WebIdentity, webIdentityKeys } from './credentials/web-identity.ts';
export { type PodS3StoreConfig, type PodS3StoreOptions, podS3Store } from './pod-s3-store.ts';
export { type S3Limits, type S3StoreConfig, s3LimitsDefault } from './s3-config.ts';
export { type S3Store, type S3StoreDeps, s3Store } from './s3-store.ts';
