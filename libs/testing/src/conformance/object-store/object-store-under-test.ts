import type { ObjectStore } from '@lateen/object-store';

export interface ObjectStoreUnderTest {
  /** On a bucket that exists and is empty. */
  store: ObjectStore;
  /** On a bucket that does not exist. */
  missing: ObjectStore;
  /** GETs a signed URL with nothing but the URL; absent when the store cannot sign. */
  fetchSigned?: (url: string) => Promise<{ status: number; body: Uint8Array }>;
  /** Temporary files, parts, unfinished uploads that the store still holds; [] when all is tidy. */
  leftovers(): Promise<readonly string[]>;
  /** Whether it keeps what a write left that never ended, until `endAbandonedWrites`; others free it themselves, or cannot. */
  keepsUnfinished: boolean;
  /** More than `write` holds at once, so that it has to send several parts. */
  severalPartsBytes: number;
  /** Keys of objects that it cannot hold, beside those that all refuse; the suite holds it to refusing them. */
  refusedKeys?: readonly string[];
  close(): Promise<void>;
}
