import type { AzureCredentials } from './azure/azure-credentials.ts';
import type { GcpCredentials } from './gcp/gcp-credentials.ts';
import type { AwsCredentials, AwsPodIdentity, AwsRole } from './s3/aws-credentials.ts';
import type { S3Options } from './s3/s3-options.ts';
import type { LocationRates } from './transfer-rate.ts';

/**
 * A BackupStorageLocation with everything that is needed to reach it: what the spec says, defaults filled in, and the
 * content of the Secrets it names. Holds keys: never log one.
 */
export type ResolvedLocation = S3Location | AzureLocation | GcpLocation | FsLocation;

/** A location that an object store plugin serves. Engines know none of them: they hold objects of backups, and no data of volumes. */
export interface PluginLocation extends CommonLocation {
  provider: 'plugin';
  /** spec.provider as it is written; the name of the plugin, with or without `velero.io/`. */
  plugin: string;
  /** spec.config, without a file of credentials. */
  config: Readonly<Record<string, string>>;
  /** Content of the credentials file. */
  credentials?: string;
}

/** Where objects of backups can be: a {@link ResolvedLocation}, or one that only a plugin reaches. */
export type StoreLocation = ResolvedLocation | PluginLocation;

/** What every provider has. The rates are those of each process that uses the location. */
export interface CommonLocation extends LocationRates {
  /** The BackupStorageLocation's name, for messages. */
  name: string;
  /** Azure calls it a container; a directory has no use for it. */
  bucket: string;
  /** Without slashes around; "" when there is none. */
  prefix: string;
  readOnly: boolean;
  /** PEM, trusted beside (kopia) or instead of (object store) the system's. */
  caPem?: string;
  /** config.resticRepoPrefix: where restic repositories are instead, without the namespace. */
  resticRepoPrefix?: string;
}

/** Any object store that speaks S3. */
export interface S3Location extends CommonLocation, S3Options {
  provider: 's3';
  /** "" when the spec names none and the endpoint does not need one. */
  region: string;
  /** `host` or `host:port`. */
  endpoint: string;
  tls: boolean;
  /** False for config.insecureSkipTLSVerify "true". */
  verifyTls: boolean;
  /** `https://endpoint/bucket/key` rather than `https://bucket.endpoint/key`. */
  pathStyle: boolean;
  credentials: AwsCredentials | AwsRole | AwsPodIdentity;
  /** SSE-C: the 32 bytes behind config.customerKeyEncryptionSecret. Engines have none, here or in Velero. */
  customerKey?: Uint8Array;
}

/** A container of Azure Blob Storage. */
export interface AzureLocation extends CommonLocation {
  provider: 'azure';
  storageAccount: string;
  /** What follows `<account>.` in the host name, a port included: `blob.core.windows.net`. */
  storageDomain: string;
  /** False only for config.storageAccountURI with http. */
  tls: boolean;
  credentials: AzureCredentials;
}

/** A bucket of Google Cloud Storage. */
export interface GcpLocation extends CommonLocation {
  provider: 'gcp';
  /** config.kmsKeyName: the key new objects are encrypted with, instead of the bucket's own. */
  kmsKeyName?: string;
  credentials: GcpCredentials;
}

/** A directory of the pods that use it: NFS, or a volume in tests (data-movement.md section 9, "File-system backend"). */
export interface FsLocation extends CommonLocation {
  provider: 'fs';
  /** config.fspath: absolute, without a slash at its end. */
  path: string;
}
