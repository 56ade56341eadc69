/** An area of a volume. */
export interface Extent {
  readonly startBytes: bigint;
  readonly lengthBytes: bigint;
}

/** The snapshot to back up. */
export interface BlockSource {
  readonly sizeBytes: bigint;
  /**
   * Areas with data, in any order; with `since`, the name of an earlier snapshot, areas that may differ from it, zeroed areas included. They may be
   * wider than the change, never narrower.
   */
  changed(since: string | undefined): AsyncIterable<Extent>;
  /** Fills `into` with the bytes from `at` on. */
  read(at: bigint, into: Uint8Array): Promise<void>;
}
