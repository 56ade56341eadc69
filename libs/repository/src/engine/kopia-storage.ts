import {
  type AzureCredentials,
  type AzureLocation,
  directoryOf,
  type FsLocation,
  type GcpLocation,
  type ResolvedLocation,
  type S3Location,
} from '@lateen/storage-location';

/**
 * How kopia accesses the blobs. Holds a secret for Azure only, whose keys kopia reads from nowhere else; S3 keys are passed by
 * environment, and a Google key in a file of its own. Never an argument, never logged.
 */
export interface KopiaStorage {
  type: 's3' | 'azureBlob' | 'gcs' | 'filesystem';
  config: Readonly<Record<string, unknown>>;
}

/** kopia writes a directory with permissions for its own user only (data-movement.md section 9, "File-system backend"). */
const directoryModes = { fileMode: 0o600, dirMode: 0o700 } as const;

/** kopia's own default for a new repository in a directory; later it reads the value from the repository. */
const directoryShards = [1, 3] as const;

/** @param credentialsFile the file in which the session wrote a Google key; undefined when the location has none */
export function kopiaStorage(location: ResolvedLocation, prefix: string, credentialsFile?: string): KopiaStorage {
  const { type, config } = unlimited(location, prefix, credentialsFile);
  return { type, config: { ...config, ...speeds(location) } };
}

function unlimited(location: ResolvedLocation, prefix: string, credentialsFile?: string): KopiaStorage {
  switch (location.provider) {
    case 's3':
      return { type: 's3', config: s3Config(location, prefix) };
    case 'azure':
      return { type: 'azureBlob', config: azureConfig(location, prefix) };
    case 'gcp':
      return { type: 'gcs', config: gcsConfig(location, prefix, credentialsFile) };
    case 'fs':
      return { type: 'filesystem', config: directoryConfig(location, prefix) };
  }
}

/** kopia reads these rates from the settings of any storage; `kopia repository throttle get` shows them. */
function speeds({ uploadBytesPerSecond: up, downloadBytesPerSecond: down }: ResolvedLocation): Record<string, number> {
  return {
    ...(up === undefined ? {} : { maxUploadSpeedBytesPerSecond: up }),
    ...(down === undefined ? {} : { maxDownloadSpeedBytesPerSecond: down }),
  };
}

function s3Config(location: S3Location, prefix: string): Record<string, unknown> {
  return {
    bucket: location.bucket,
    prefix,
    endpoint: location.endpoint,
    ...(location.region === '' ? {} : { region: location.region }),
    ...(location.tls ? {} : { doNotUseTLS: true }),
    ...(location.verifyTls ? {} : { doNotVerifyTLS: true }),
    ...(location.caPem === undefined ? {} : { rootCA: Buffer.from(location.caPem).toString('base64') }),
  };
}

function azureConfig(location: AzureLocation, prefix: string): Record<string, unknown> {
  return {
    container: location.bucket,
    prefix,
    storageAccount: location.storageAccount,
    storageDomain: location.storageDomain,
    ...(location.tls ? {} : { doNotUseTLS: true }),
    ...azureKeys(location.credentials),
  };
}

/** kopia spells three of these names with a capital, as its options have no JSON name. */
function azureKeys(credentials: AzureCredentials): Record<string, string> {
  if (credentials.kind === 'accountKey') return { storageKey: credentials.accountKey };
  const principal = { TenantID: credentials.tenantId, ClientID: credentials.clientId };
  if (credentials.kind === 'clientSecret') return { ...principal, ClientSecret: credentials.clientSecret };
  return { ...principal, azureFederatedTokenFile: credentials.tokenFile };
}

function gcsConfig(location: GcpLocation, prefix: string, credentialsFile?: string): Record<string, unknown> {
  return {
    bucket: location.bucket,
    prefix,
    ...(credentialsFile === undefined ? {} : { credentialsFile }),
    ...(location.readOnly ? { readOnly: true } : {}),
  };
}

function directoryConfig(location: FsLocation, prefix: string): Record<string, unknown> {
  return { path: directoryOf(location, prefix), ...directoryModes, dirShards: directoryShards };
}
