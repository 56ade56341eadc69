import type { KubeObject } from '../meta/kube-object.ts';
import type { Base64, Duration, Timestamp } from '../meta/scalars.ts';
import type { SecretKeySelector } from '../meta/secret-key-selector.ts';
import { veleroType } from '../meta/velero-type.ts';

/** A bucket, or a part of one, that backups and repositories are kept in. */
export interface BackupStorageLocation extends KubeObject {
  spec: BackupStorageLocationSpec;
  status?: BackupStorageLocationStatus;
}

/** Where the location is and how it is used. */
export interface BackupStorageLocationSpec {
  /** Object store provider, for example "aws" for anything that speaks S3. */
  provider: string;
  /** Settings of the provider, such as region and s3Url. */
  config?: Record<string, string>;
  /** Secret key with the credentials; without it the default credentials of the installation are used. */
  credential?: SecretKeySelector;
  /** The bucket and how to reach it. */
  objectStorage: ObjectStorageLocation;
  /** Whether backups that name no location go here. */
  default?: boolean;
  /** Whether new backups may be written. */
  accessMode?: BackupStorageLocationAccessMode;
  /** Time between two looks for backups made elsewhere; zero switches the look-up off. */
  backupSyncPeriod?: Duration | null;
  /** Time between two checks that the location can be reached; zero switches the checks off. */
  validationFrequency?: Duration | null;
}

/** The bucket of a location. */
export interface ObjectStorageLocation {
  /** Name of the bucket. */
  bucket: string;
  /** Path inside the bucket that everything is kept under. */
  prefix?: string;
  /** PEM bundle of certificate authorities to trust for the provider's end point. Deprecated in favour of caCertRef. */
  caCert?: Base64;
  /** Secret key with the PEM bundle of certificate authorities; must not be combined with caCert. */
  caCertRef?: SecretKeySelector;
}

export const backupStorageLocationAccessModes = ['ReadOnly', 'ReadWrite'] as const;
export type BackupStorageLocationAccessMode = (typeof backupStorageLocationAccessModes)[number];

/** Only Available counts as usable (api.md section 5). */
export const backupStorageLocationPhases = ['Available', 'Unavailable'] as const;
export type BackupStorageLocationPhase = (typeof backupStorageLocationPhases)[number];

/** What the last look at the location found. */
export interface BackupStorageLocationStatus {
  /** Whether the location could be used at the last check. */
  phase?: BackupStorageLocationPhase;
  /** When backups of this location were last matched with the cluster. */
  lastSyncedTime?: Timestamp | null;
  /** When the location was last checked. */
  lastValidationTime?: Timestamp | null;
  /** Why the location is not available. */
  message?: string;
  /** No longer written; kept so that old objects stay valid. */
  lastSyncedRevision?: string;
  /** No longer written; kept so that old objects stay valid. */
  accessMode?: BackupStorageLocationAccessMode;
}

export const backupStorageLocationType = veleroType<BackupStorageLocation>(
  'v1',
  'BackupStorageLocation',
  'backupstoragelocations',
);
