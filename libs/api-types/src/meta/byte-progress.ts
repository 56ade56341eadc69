import type { Int64 } from './scalars.ts';

/** How far a volume's transfer has come. A zero may be left out. */
export interface ByteProgress {
  /** Bytes the volume holds, as far as is known by now. */
  totalBytes?: Int64;
  /** Bytes handled so far. */
  bytesDone?: Int64;
}
