import type { Int64 } from './scalars.ts';

/** Progress of a transfer, in bytes. A field that is 0 may be absent. */
export interface ByteProgress {
  /** Number of bytes to transfer, as far as known. */
  totalBytes?: Int64;
  /** Number of bytes transferred so far. */
  bytesDone?: Int64;
}
