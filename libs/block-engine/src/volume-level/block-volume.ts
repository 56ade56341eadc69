/** Names and values as the caller gave them; kept with the object and given back. */
export type Labels = Readonly<Record<string, string>>;
/** Parameters of a storage class, as an engine reads them. One that it does not know is refused. */
export type Parameters = Readonly<Record<string, string>>;
/** Where a volume can be: the node, or the labels that the scheduler knows nodes by. */
export interface Topology {
  readonly node?: string;
  readonly labels?: Labels;
}

export interface BlockVolume {
  readonly name: string;
  readonly sizeBytes: bigint;
  /** Nodes on which its device is there now. */
  readonly attachedTo: readonly string[];
}

/** What a new volume begins with; zeros without. */
export type BlockSource =
  | { readonly kind: 'snapshot'; readonly volume: string; readonly snapshot: string }
  | { readonly kind: 'volume'; readonly volume: string }
  /** The backup's address, as the engine's backup target names it. */
  | { readonly kind: 'backup'; readonly url: string };

export interface CreateBlockVolume {
  readonly name: string;
  /** Rounded up to what the engine can have; the answer says what it is. */
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
 * `whenMounted`: a file system of the volume that is mounted is frozen for the moment of the snapshot. `no`: it need not be; what
 * was not flushed may be missing, as after a loss of power.
 */
export type FreezeMode = 'whenMounted' | 'no';

/** A run of bytes of a volume. */
export interface Extent {
  readonly startBytes: bigint;
  readonly lengthBytes: bigint;
}

/** Reads one snapshot, which stays there as long as the reader is open. */
export interface BlockReader extends AsyncDisposable {
  readonly sizeBytes: bigint;
  /** Fills `into` from `at` on. @throws AppError `OUT_OF_RANGE` when that is not all within the snapshot */
  read(at: bigint, into: Uint8Array, o: { readonly signal: AbortSignal }): Promise<void>;
}
