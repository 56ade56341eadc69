import type { Int64 } from '../meta/scalars.ts';

/** How much of a block volume was read, of an upload that asked which blocks have changed. What is absent is not known. */
export interface ChangedBlocksRead {
  /** Bytes read of the volume. */
  readBytes?: Int64;
  /** Bytes in the chunks that may have changed since the base snapshot. Absent after a full read. */
  changedBytes?: Int64;
  /** Bytes in those of these chunks that differ from what is stored. Absent after a full read. */
  uploadedBytes?: Int64;
  /** Bytes in unchanged chunks that were read as well and equal the base snapshot. Absent when nothing was verified. */
  verifiedBytes?: Int64;
  /** Offset of an unchanged chunk that was stored with other bytes. The verification has failed, and the whole volume was read. */
  differsAt?: Int64;
  /** Why the whole volume was read. Absent when only changes were. */
  fullReadReason?: string;
}
