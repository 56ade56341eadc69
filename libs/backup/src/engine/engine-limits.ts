const MiB = 1024 * 1024;

/** What bounds the memory of one backup, and its load on the API server. */
export interface EngineLimits {
  /** Objects asked for in one page of a list (`--client-page-size`). */
  pageItems: number;
  /** A list whose pages are larger asks for fewer objects the next time. */
  pageBytes: number;
  /** A page that takes more is not read to its end, and asked for again with fewer objects. One object alone may be larger. */
  answerBytesMax: number;
  /** Lists that are read at once; each holds two pages at most. */
  listsMax: number;
  /** API calls under way at once: between these two, as the API server bears it. */
  callsMin: number;
  callsMax: number;
  /** A call that takes longer means that the API server has too much to do, or has told us to wait. */
  slowCallMs: number;
  /** One call to the API server, its repetitions included. */
  callTimeoutMs: number;
  /** Item blocks with hooks that are worked on at once, and as many without (`--item-block-worker-count`). */
  itemBlockWorkers: number;
  /** Items of one block, of one page or named by actions, that are worked on at once. */
  itemsMax: number;
  /** JSON of pods, claims and whatever else waits for its block; what is more is read again when its turn comes. */
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
