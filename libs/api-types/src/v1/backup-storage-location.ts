import type { KubeObject } from '../meta/kube-object.ts';
import type { Base64, Duration, Timestamp } from '../meta/scalars.ts';
import type { SecretKeySelector } from '../meta/secret-key-selector.ts';
import { veleroType } from '../meta/velero-type.ts';

/** Object storage, or a directory, that stores backups and the repositories with volume data. */
export interface BackupStorageLocation extends KubeObject {
  spec: BackupStorageLocationSpec;
  status?: BackupStorageLocationStatus;
}

/** Where the location is, and how it is used. */
export interface BackupStorageLocationSpec {
  /**
   * Type of the object storage: `aws` (Amazon S3 and every store with the S3 API), `azure`, `gcp` or `velero.io/fs` (a mounted directory).
   */
  provider: string;
  /**
   * Settings of the provider, as text: for example `region`, `s3Url` and `s3ForcePathStyle` for `aws`, `storageAccount` for `azure`. An
   * unknown key makes the location Unavailable. Empty: defaults of the provider.
   */
  config?: Record<string, string>;
  /**
   * Key of a Secret with the credentials, in the namespace of the location. Empty: the credentials that Lateen was installed with, or the
   * identity of its pods.
   */
  credential?: SecretKeySelector;
  /** Bucket of the location, the path in it, and the certificate authorities to trust. */
  objectStorage: ObjectStorageLocation;
  /**
   * Whether this is the location of backups that name none. If several locations are marked, the newest one stays the default and the
   * others are set to `false`. Default: `false`.
   */
  default?: boolean;
  /**
   * `ReadWrite`: backups can be created, deleted and restored. `ReadOnly`: they can only be restored, and repositories are not maintained.
   * Default: `ReadWrite`.
   */
  accessMode?: BackupStorageLocationAccessMode;
  /**
   * Time between two searches for backups that other clusters have stored here, as a duration such as `1m`. `0s`: never. Empty: the flag
   * --backup-sync-period of the server, 1m if that is not set.
   */
  backupSyncPeriod?: Duration | null;
  /**
   * Time between two checks that the location can be used, as a duration such as `1m`. `0s`: only after changes of the location or its
   * Secrets. Empty: the flag --store-validation-frequency of the server, 1m if that is not set.
   */
  validationFrequency?: Duration | null;
}

/** A bucket, and the path in it that Lateen uses. */
export interface ObjectStorageLocation {
  /** Name of the bucket; for Azure, of the container. It must exist. For `velero.io/fs` the path in config counts. */
  bucket: string;
  /** Path in the bucket that everything is stored below, such as `clusters/prod`. Nothing else may use it. Empty: the top of the bucket. */
  prefix?: string;
  /**
   * PEM certificates of the authorities to trust for connections to the store, in base64. Deprecated: use caCertRef. Empty: the authorities
   * that the image of Lateen trusts.
   */
  caCert?: Base64;
  /**
   * Key of a Secret with PEM certificates of the authorities to trust for connections to the store. Cannot be combined with caCert. Empty:
   * the authorities that the image of Lateen trusts.
   */
  caCertRef?: SecretKeySelector;
}

export const backupStorageLocationAccessModes = ['ReadOnly', 'ReadWrite'] as const;
export type BackupStorageLocationAccessMode = (typeof backupStorageLocationAccessModes)[number];

/** Only Available counts as usable (api.md section 5). */
export const backupStorageLocationPhases = ['Available', 'Unavailable'] as const;
export type BackupStorageLocationPhase = (typeof backupStorageLocationPhases)[number];

/** Result of the last checks of the location. */
export interface BackupStorageLocationStatus {
  /** `Available`: the location can be used. `Unavailable`: it cannot; `message` says why. Empty: not checked yet. */
  phase?: BackupStorageLocationPhase;
  /** When the Backups in the cluster were last compared with the backups in the location. */
  lastSyncedTime?: Timestamp | null;
  /** When the location was last checked. */
  lastValidationTime?: Timestamp | null;
  /** Why the location is Unavailable, and what to do. Empty when it is Available. */
  message?: string;
  /** Deprecated, and not written any more. It is accepted so that old objects stay valid. */
  lastSyncedRevision?: string;
  /** Deprecated, and not written any more. See `spec.accessMode`. */
  accessMode?: BackupStorageLocationAccessMode;
}

export const backupStorageLocationType = veleroType<BackupStorageLocation>(
  'v1',
  'BackupStorageLocation',
  'backupstoragelocations',
);
