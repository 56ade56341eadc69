/** Names and values as the caller gave them; stored with the object and returned unchanged. */
export type Labels = Readonly<Record<string, string>>;
/** Parameters of a storage class, as an engine reads them. Unknown ones are refused. */
export type Parameters = Readonly<Record<string, string>>;
/** Where a volume can be used: the node, or the labels by which the scheduler identifies nodes. */
export interface Topology {
  readonly node?: string;
  readonly labels?: Labels;
}

export interface BlockVolume {
  readonly name: string;
  readonly sizeBytes: bigint;
  /** Nodes on which its device exists now. */
  readonly attachedTo: readonly string[];
}

/** The initial content of a new volume; zeros when absent. */
export type BlockSource =
  | { readonly kind: 'snapshot'; readonly volume: string; readonly snapshot: string }
  | { readonly kind: 'volume'; readonly volume: string }
  /** The backup's address, as the engine's backup target names it. */
  | { readonly kind: 'backup'; readonly url: string };

export interface CreateBlockVolume {
  readonly name: string;
  /** Rounded up to a size that the engine supports; the answer has the actual size. */
  readonly sizeBytes: bigint;
  readonly source?: BlockSource;
  readonly parameters?: Parameters;
}

export interface BlockSnapshot {
  readonly name: string;
  readonly volume: string;
  readonly sizeBytes: bigint;
  readonly createdAtMs: number;
  readonly labels: Labels;
}

/**
 * `whenMounted`: a mounted file system of the volume is frozen during the snapshot. `no`: it is not frozen; what was not flushed may be missing, as
 * after a power loss.
 */
export type FreezeMode = 'whenMounted' | 'no';

/** A run of bytes of a volume. */
export interface Extent {
  readonly startBytes: bigint;
  readonly lengthBytes: bigint;
}

/** Reads one snapshot, which is not deleted while the reader is open. */
export interface BlockReader extends AsyncDisposable {
  readonly sizeBytes: bigint;
  /** Fills `into` from `at` on. @throws AppError `OUT_OF_RANGE` when the range is not completely within the snapshot */
  read(at: bigint, into: Uint8Array, o: { readonly signal: AbortSignal }): Promise<void>;
}
