import type { Int64, Integer } from '../meta/scalars.ts';

/**
 * How fast a volume comes back, and what keeps it from coming faster. While the transfer runs, rates are those of the last ten
 * seconds; at the end they are those of the whole transfer. What is absent is not known, or not known yet.
 */
export interface RestoreThroughput {
  /** Files, links and other entries written so far; folders are not counted. Absent for a block volume. */
  filesDone?: Int64;
  /** Files, links and other entries to write. */
  totalFiles?: Int64;
  /** Rate of files. */
  filesPerSecond?: Int64;
  /** Rate of bytes of the volume. */
  bytesPerSecond?: Int64;
  /** What limits the transfer: "rate" (set for the storage location), "store-latency", "store-bandwidth", "cpu", "disk" or "memory". */
  limitedBy?: string;
  /** What reads the repository: "packs", our own reader, which fetches many contents with one request, or "engine", the restore of the engine. */
  reader?: string;
  /** Why the restore of the engine was used. */
  readerReason?: string;
  /** Bytes read from the object store. */
  storeBytes?: Int64;
  /** Requests made to the object store. */
  storeRequests?: Int64;
  /** Requests in flight at the same time, as found to be best for this store. */
  storeRequestsInFlight?: Integer;
  /** Time that the object store takes to begin an answer (median). */
  storeLatencyMilliseconds?: Int64;
  /** Bytes of the volume that were read and compared with the backup before they were written. Absent when nothing was compared. */
  comparedBytes?: Int64;
  /** Bytes that the volume had already; they were not written. Absent when nothing was looked at. */
  unchangedBytes?: Int64;
  /** Bytes written to a block volume; zeroes that its storage made by itself do not count. Absent for a volume of files. */
  writtenBytes?: Int64;
  /** How long the engine or our reader took, without preparing and binding the volume. */
  durationMilliseconds?: Int64;
}
