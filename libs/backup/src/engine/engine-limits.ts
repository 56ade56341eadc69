const MiB = 1024 * 1024;

/** The limits of one backup's memory and of its load on the API server. */
export interface EngineLimits {
  /** How many objects one page of a list requests (`--client-page-size`). */
  pageItems: number;
  /** When a page is larger, the next one requests fewer objects. */
  pageBytes: number;
  /** A larger page is not read to its end, and is requested again with fewer objects. A single object may be larger. */
  answerBytesMax: number;
  /** How many lists are read at the same time; each keeps at most two pages. */
  listsMax: number;
  /** The number of concurrent API calls is between these two, depending on how fast the API server answers. */
  callsMin: number;
  callsMax: number;
  /** A call that takes longer means that the API server is overloaded or has asked us to wait. */
  slowCallMs: number;
  /** The time-out of one call to the API server, retries included. */
  callTimeoutMs: number;
  /** How many item blocks with hooks are backed up at the same time, and as many without hooks (`--item-block-worker-count`). */
  itemBlockWorkers: number;
  /** How many items of one block, of one page, or named by actions are backed up at the same time. */
  itemsMax: number;
  /** How many bytes of JSON of pods, claims and other objects wait in memory for their block; further objects are read again later. */
  heldBytesMax: number;
}

export const engineLimitsDefault: EngineLimits = {
  pageItems: 500,
  pageBytes: 4 * MiB,
  answerBytesMax: 8 * MiB,
  listsMax: 8,
  callsMin: 2,
  callsMax: 16,
  slowCallMs: 1_500,
  callTimeoutMs: 180_000,
  itemBlockWorkers: 8,
  itemsMax: 8,
  heldBytesMax: 32 * MiB,
};
