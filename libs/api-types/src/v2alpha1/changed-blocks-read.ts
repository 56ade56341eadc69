import type { Int64 } from '../meta/scalars.ts';

/** How much of a block volume an upload has read. Set only for uploads that asked for changed blocks. An absent field is not known. */
export interface ChangedBlocksRead {
  /** Bytes that were read from the volume. */
  readBytes?: Int64;
  /** Bytes in the chunks that may have changed since the snapshot before. Absent after a full read. */
  changedBytes?: Int64;
  /** Bytes in the chunks that really differ from what the repository has. Absent after a full read. */
  uploadedBytes?: Int64;
  /** Bytes of unchanged chunks that were read for verification and are equal to what the repository has. Absent if nothing was verified. */
  verifiedBytes?: Int64;
  /**
   * Offset in bytes of an unchanged chunk that the repository has with other content. The verification failed, so the whole volume was
   * read.
   */
  differsAt?: Int64;
  /** Why the whole volume was read. Absent if only changes were read. */
  fullReadReason?: string;
}
