import type { ObjectStore } from '@lateen/object-store';

export interface ObjectStoreUnderTest {
  /** With an existing, empty bucket. */
  store: ObjectStore;
  /** With a missing bucket. */
  missing: ObjectStore;
  /** GETs a signed URL with nothing else; absent when the store cannot sign. */
  fetchSigned?: (url: string) => Promise<{ status: number; body: Uint8Array }>;
  /** Temporary files, parts and unfinished uploads in the store; [] when there are none. */
  leftovers(): Promise<readonly string[]>;
  /** Whether it keeps the parts of an unfinished write until `endAbandonedWrites`; other stores free them, or cannot. */
  keepsUnfinished: boolean;
  /** More than `write` buffers, so that it has to send several parts. */
  severalPartsBytes: number;
  /** Keys that only this store cannot hold; the suite checks that it rejects them. */
  refusedKeys?: readonly string[];
  close(): Promise<void>;
}
