/** What a restore was limited by, in the order of how much can be done about it. */
export const restoreLimits = ['rate', 'store-latency', 'store-bandwidth', 'cpu', 'disk', 'memory'] as const;
export type RestoreLimit = (typeof restoreLimits)[number];

/**
 * How a restore went; told in the log, in the status and by metrics. Absent is what is not known: the engine's own restore tells
 * nothing of the store.
 */
export interface RestoreReport {
  /** `engine` when the engine's own restore was used; `reason` says why. */
  reader: 'packs' | 'engine';
  reason?: string | undefined;
  limitedBy?: RestoreLimit | undefined;
  files: number;
  filesPerSecond: number;
  bytesPerSecond: number;
  /** Read from the store. */
  storeBytes?: number | undefined;
  storeRequests?: number | undefined;
  /** Median of the times to the first byte. */
  storeLatencyMs?: number | undefined;
  /** Requests in flight, as found out to be best. */
  storeRequestsInFlight?: number | undefined;
  /** Bytes of the volume that were read and compared with the snapshot before they were written. Absent where nothing was compared. */
  comparedBytes?: number | undefined;
  /** Bytes that the volume had already: neither fetched nor written. Absent where existing data was not checked. */
  unchangedBytes?: number | undefined;
  /** Bytes written to a block device; zeroes that its storage has made by itself do not count. Absent for a volume of files. */
  writtenBytes?: number | undefined;
  seconds: number;
}
