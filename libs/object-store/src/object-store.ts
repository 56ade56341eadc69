export interface ObjectStoreCallOptions {
  signal?: AbortSignal | undefined;
}

export interface ObjectSummary {
  key: string;
  sizeBytes: number;
}

/**
 * One bucket. Keys are whole keys (a prefix is the caller's business) and never start with "/".
 * Reads see completed writes at once; `put` replaces atomically.
 *
 * Rejects with AppErrors: OBJECT_NOT_FOUND, BUCKET_NOT_FOUND, OBJECT_STORE_FORBIDDEN (also for wrong keys),
 * OBJECT_STORE_UNAVAILABLE (network, DNS, TLS, 5xx; fate `later`), OBJECT_STORE_BAD_ANSWER. The message names the cause.
 */
export interface ObjectStore {
  /** The first-level "directories" under `prefix` ("" or ending in "/"), without prefix and slash, sorted. */
  listCommonPrefixes(prefix: string, options?: ObjectStoreCallOptions): Promise<string[]>;
  /** Every object under `prefix`, in key order, page by page. */
  list(prefix: string, options?: ObjectStoreCallOptions): AsyncIterable<ObjectSummary>;
  exists(key: string, options?: ObjectStoreCallOptions): Promise<boolean>;
  get(key: string, options?: ObjectStoreCallOptions): Promise<Uint8Array>;
  put(key: string, body: Uint8Array, options?: ObjectStoreCallOptions): Promise<void>;
  /** Resolves also when there was none. */
  delete(key: string, options?: ObjectStoreCallOptions): Promise<void>;
}
