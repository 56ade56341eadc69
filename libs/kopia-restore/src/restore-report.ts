/** What a restore was limited by, in the order of how much can be done about it. */
export type RestoreLimit = 'rate' | 'store-latency' | 'store-bandwidth' | 'cpu' | 'disk' | 'memory';

/** How a restore went; told in the log, in the status and by metrics. */
export interface RestoreReport {
  /** `engine` when the engine's own restore was used; `reason` says why. */
  reader: 'packs' | 'engine';
  reason?: string | undefined;
  limitedBy?: RestoreLimit | undefined;
  files: number;
  filesPerSecond: number;
  bytesPerSecond: number;
  /** Read from the store. */
  storeBytes: number;
  storeRequests: number;
  storeLatencyMs: number;
  seconds: number;
}
