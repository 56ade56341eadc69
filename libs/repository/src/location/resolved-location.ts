import type { AwsCredentials } from './aws-credentials.ts';

/**
 * A BackupStorageLocation with everything that is needed to reach it: what the spec says, defaults filled in, and the
 * content of the Secrets it names. Holds keys: never log one.
 */
export interface ResolvedLocation {
  provider: 's3';
  /** The BackupStorageLocation's name, for messages. */
  name: string;
  bucket: string;
  /** Without slashes around; "" when there is none. */
  prefix: string;
  /** "" when the spec names none and the endpoint does not need one. */
  region: string;
  /** `host` or `host:port`. */
  endpoint: string;
  tls: boolean;
  /** False for config.insecureSkipTLSVerify "true". */
  verifyTls: boolean;
  /** PEM, trusted beside (kopia) or instead of (object store) the system's. */
  caPem?: string;
  /** `https://endpoint/bucket/key` rather than `https://bucket.endpoint/key`. */
  pathStyle: boolean;
  readOnly: boolean;
  /** config.resticRepoPrefix: where restic repositories are instead, without the namespace. */
  resticRepoPrefix?: string;
  credentials: AwsCredentials;
}
