/** A requested part of a pack. Callers pass their own objects, with more in them. */
export interface PackSlice {
  packId: string;
  offset: number;
  length: number;
}

/** Slices whose bytes have come, with one request or from the cache. */
export interface FetchedSlices<Slice extends PackSlice> {
  /** Over a SharedArrayBuffer, so that worker threads read it without a copy. Valid until `take` has settled. */
  bytes: Uint8Array<SharedArrayBuffer>;
  /** The offset in the pack of `bytes[0]`. */
  offset: number;
  slices: readonly Slice[];
}

/**
 * Reads slices of packs: many at once, near ones with one request, in bounded memory. Which requests are made is decided
 * by `planRanges`; how many are in flight, by what the store answers.
 * Both calls reject with OBJECT_… of the store after its retries, PACK_CUT when an object is shorter than its index says,
 * and the signal's reason.
 */
export interface PackReader {
  /**
   * Gives each slice to `take` exactly once, in about the order given. Several `take` run at the same time; the memory of
   * one is used again when it settles. Rejects with the first error of a read or of `take`, after all that run have settled.
   */
  readAll<Slice extends PackSlice>(
    slices: readonly Slice[],
    take: (fetched: FetchedSlices<Slice>) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
  /** One slice, as a copy of its own; what lies around it is cached, so this serves metadata, which is read bit by bit. */
  readOne(slice: PackSlice, signal: AbortSignal): Promise<Uint8Array>;
  /** What reading has taken so far. */
  readonly figures: PackReaderFigures;
  /** Deletes the cache. Nothing may be read any more. */
  close(): Promise<void>;
}

export interface PackReaderFigures {
  requests: number;
  /** From the store. */
  fetchedBytes: number;
  /** Of the slices handed out. */
  usedBytes: number;
  /** Handed out without a request, because an earlier one had brought them. */
  cachedBytes: number;
  /** Median of the times to the first byte. */
  latencyMs: number;
  /** Of all requests, one after the other: how long they took … */
  requestMs: number;
  /** … and how much of it was waiting for their first byte. */
  firstByteMs: number;
  /** Requests in flight, as found out to be best. */
  inFlight: number;
  /** Time in which `take` was waited for while memory was full: the consumer is slower than the store. */
  waitedForTakerMs: number;
  /** Time in which there was nothing to hand out: the store is slower than the consumer. */
  waitedForStoreMs: number;
  /** Time in which one more request could have been made, but for memory that others are filling. */
  waitedForMemoryMs: number;
}
