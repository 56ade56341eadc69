/**
 * What it takes to open contents of one repository. Plain data: it is sent to worker threads. It is never logged, and
 * kept in memory only.
 */
export interface ContentKeys {
  /** kopia's name of the hash, such as `BLAKE2B-256-128`. */
  hash: string;
  /** Keys the hash. */
  hashSecret: Uint8Array;
  /** kopia's name of the encryption, such as `AES256-GCM-HMAC-SHA256`. */
  encryption: string;
  /** From which the key of each content is derived. */
  encryptionSecret: Uint8Array;
}
