/** An area of a volume. */
export interface Extent {
  readonly startBytes: bigint;
  readonly lengthBytes: bigint;
}

/** A snapshot that is backed up. */
export interface BlockSource {
  readonly sizeBytes: bigint;
  /**
   * Areas with data, in any order; with `since`, the name of an earlier snapshot, those that may differ from it, areas that were
   * zeroed included. They may be wider than what has changed, never narrower.
   */
  changed(since: string | undefined): AsyncIterable<Extent>;
  /** Fills `into` with the bytes from `at` on. */
  read(at: bigint, into: Uint8Array): Promise<void>;
}
