import type { ByteRange } from './byte-range.ts';

export interface ObjectStoreCallOptions {
  signal?: AbortSignal | undefined;
}

export interface ReadOptions extends ObjectStoreCallOptions {
  /** Only these bytes; the whole object when absent. */
  range?: ByteRange | undefined;
}

export interface SignedUrlOptions extends ObjectStoreCallOptions {
  /** How long the URL may be used, in ms; rounded up to a second. */
  ttlMs: number;
}

export interface ObjectSummary {
  key: string;
  sizeBytes: number;
  /** When the object was last written, by the store's clock, in whole seconds where the store counts so. Absent where it does not tell. */
  modifiedAtMs?: number | undefined;
}

/**
 * One bucket. Keys are whole keys (a prefix is the caller's business). Those that something on the way to a store may take for
 * another key (`a/../b`, `a//b`) are refused by all stores before anything is sent (`checkObjectKey`).
 * Reads see completed writes at once; `put` and `write` replace atomically.
 * An aborted signal ends a call with the signal's reason.
 *
 * Rejects with AppErrors: OBJECT_NOT_FOUND, BUCKET_NOT_FOUND, OBJECT_STORE_FORBIDDEN (also for wrong keys),
 * OBJECT_STORE_UNAVAILABLE (network, DNS, TLS, 5xx), OBJECT_STORE_BAD_ANSWER, OBJECT_KEY_INVALID (a key that
 * is refused, or that this store cannot hold). The message names the cause. The fate is `soon` when the same call may succeed in a moment.
 */
export interface ObjectStore {
  /** The first-level "directories" under `prefix` ("" or ending in "/"), without prefix and slash, sorted. */
  listCommonPrefixes(prefix: string, options?: ObjectStoreCallOptions): Promise<string[]>;
  /** Every object under `prefix`, in key order, page by page. */
  list(prefix: string, options?: ObjectStoreCallOptions): AsyncIterable<ObjectSummary>;
  exists(key: string, options?: ObjectStoreCallOptions): Promise<boolean>;
  /** The whole object in memory; for what is small. */
  get(key: string, options?: ObjectStoreCallOptions): Promise<Uint8Array>;
  put(key: string, body: Uint8Array, options?: ObjectStoreCallOptions): Promise<void>;
  /**
   * The object in pieces, as they come; nothing is asked for before the first piece is. Rejects when the object ends
   * early. Leaving the loop ends the transfer. With a range it yields exactly these bytes, or rejects: with OBJECT_TOO_SHORT
   * when the object ends before the range does, with OBJECT_STORE_BAD_ANSWER when the store answers with other bytes.
   */
  read(key: string, options?: ReadOptions): AsyncIterable<Uint8Array>;
  /**
   * Stores what `pieces` yield, with bounded memory. When it fails, is aborted, or `pieces` throws (which it rejects
   * with), the key is as it was before and no part is left behind, as far as the store could still be told.
   */
  write(key: string, pieces: AsyncIterable<Uint8Array>, options?: ObjectStoreCallOptions): Promise<void>;
  /**
   * Removes the remains of unfinished writes of this key whose process died: parts that a bucket keeps
   * and charges for. The key itself stays unchanged. The caller makes sure that no process writes the key now; such a write would fail.
   * Does nothing where a store frees them itself (each adapter's README says so).
   * @returns how many there were
   */
  endAbandonedWrites(key: string, options?: ObjectStoreCallOptions): Promise<number>;
  /** Resolves also when there was none. */
  delete(key: string, options?: ObjectStoreCallOptions): Promise<void>;
  /**
   * A URL that anybody may GET, without any header more, until it expires. Whether there is an object is not checked.
   * @throws AppError SIGNED_URL_UNSUPPORTED where the store, or what it was given, cannot make one
   */
  signedUrl(key: string, options: SignedUrlOptions): Promise<string>;
  /** Ends its connections; calls in flight finish. Nothing may be called after it, but `close` again. */
  close(): Promise<void>;
}
