/**
 * How a block volume was read whose changes were asked for (docs/adr/0082); told in the log and in the status. Our addition. Absent
 * is what is not known.
 */
export interface ReadReport {
  /** Read of the device. What a file system does not use is not read in a full read either. */
  readBytes: number;
  /** In the chunks that may have changed. Absent after a full read. */
  changedBytes?: number | undefined;
  /** Of those, in chunks that differ from those of the base. Absent after a full read: the engine does not tell it exactly. */
  uploadedBytes?: number | undefined;
  /** In unchanged chunks, which were read as well and equal the base. Absent when nothing was verified. */
  verifiedBytes?: number | undefined;
  /** Where an unchanged chunk begins that was stored with other bytes: a verification has failed, and everything was read. */
  differsAt?: number | undefined;
  /** Why everything was read; absent when only changes were. */
  fullReadReason?: string | undefined;
}
