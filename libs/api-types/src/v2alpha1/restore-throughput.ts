import type { Int64, Integer } from '../meta/scalars.ts';

/**
 * Speed of a restore, and what limits it. During the transfer, rates are those of the last ten seconds; at the end, those of the whole
 * transfer. An absent field is not known.
 */
export interface RestoreThroughput {
  /** Number of files, links and other entries written so far, without directories. Absent for block volumes. */
  filesDone?: Int64;
  /** Number of files, links and other entries to write, without directories. Absent for block volumes. */
  totalFiles?: Int64;
  /** Files written per second. */
  filesPerSecond?: Int64;
  /** Bytes of the volume restored per second. */
  bytesPerSecond?: Int64;
  /**
   * What limits the speed: `rate` (the download limit of the storage location), `store-latency`, `store-bandwidth`, `cpu` (of the data
   * mover), `disk` (the volume) or `memory` (of the data mover).
   */
  limitedBy?: string;
  /** What reads the repository. `packs`: Lateen's own reader. `engine`: kopia or restic. */
  reader?: string;
  /** Why the engine reads the repository instead of Lateen's own reader. */
  readerReason?: string;
  /** Bytes read from the object store. */
  storeBytes?: Int64;
  /** Number of requests to the object store. */
  storeRequests?: Int64;
  /** Number of requests to the object store that run in parallel. It is adjusted to the store during the transfer. */
  storeRequestsInFlight?: Integer;
  /** Time until the object store begins to answer a request, in milliseconds (median). */
  storeLatencyMilliseconds?: Int64;
  /** Bytes of the volume that were compared with the backup before they were written. Absent if nothing was compared. */
  comparedBytes?: Int64;
  /** Bytes of the volume that were equal to the backup, so they were not written. Absent if nothing was compared. */
  unchangedBytes?: Int64;
  /** Bytes written to a block volume, without zeros that its storage filled in. Absent for volumes with a file system. */
  writtenBytes?: Int64;
  /** Duration of the transfer in milliseconds, without preparing and binding the volume. */
  durationMilliseconds?: Int64;
}
