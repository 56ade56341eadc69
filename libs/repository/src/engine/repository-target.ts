import type { ResolvedLocation } from '@lateen/storage-location';

/** A repository and how to open it. Holds secrets: never log one. */
export interface RepositoryTarget {
  location: ResolvedLocation;
  volumeNamespace: string;
  /** Trimmed. */
  password: string;
  /** UID of the BackupRepository; names the config file as Velero does. */
  uid: string;
  cacheLimitMB: number;
}
