export interface AzureStoreConfig {
  /** The container. */
  bucket: string;
  storageAccount: string;
  /** Follows `<account>.` in the host name, a port included. */
  storageDomain: string;
  tls: boolean;
  /** PEM; trusted instead of the system's authorities. */
  caPem?: string;
  credentials: AzureStoreCredentials;
}

export type AzureStoreCredentials =
  /** base64 */
  | { kind: 'accountKey'; accountKey: string }
  /** `authority`: where tokens come from, without a slash at its end. */
  | { kind: 'clientSecret'; tenantId: string; clientId: string; clientSecret: string; authority: string }
  | { kind: 'workloadIdentity'; tenantId: string; clientId: string; tokenFile: string; authority: string };

export interface AzureLimits {
  /** To connect, TLS included. */
  connectMs: number;
  /** From a request to the answer's headers, and between two pieces of its body. */
  answerMs: number;
  /** A connection that sends fewer bytes in a millisecond counts as broken. */
  sentBytesPerMsMin: number;
  /** Largest object `get` takes; what is read whole here is metadata, never volume data. */
  objectBytesMax: number;
  /** Largest page of a listing: five thousand names of a kilobyte each, with what Azure says of them. */
  listingBytesMax: number;
  /** Largest error body that is read for its code. */
  errorBytesMax: number;
  /** Largest headers of an answer; Azure sends tags and metadata there. */
  headerBytesMax: number;
  /** Size of the blocks that `write` sends; so much is held in memory. */
  partBytes: number;
  /** Connections kept to one account. */
  connectionsMax: number;
}

export const azureLimitsDefault: AzureLimits = {
  connectMs: 10_000,
  answerMs: 30_000,
  sentBytesPerMsMin: 64,
  objectBytesMax: 256 * 1024 * 1024,
  listingBytesMax: 32 * 1024 * 1024,
  errorBytesMax: 64 * 1024,
  headerBytesMax: 32 * 1024,
  partBytes: 8 * 1024 * 1024,
  connectionsMax: 16,
};

/** `https://account.blob.core.windows.net` */
export const accountUrl = ({ tls, storageAccount, storageDomain }: AzureStoreConfig): string =>
  `${tls ? 'https' : 'http'}://${storageAccount}.${storageDomain}`;
