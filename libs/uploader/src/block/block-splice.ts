import type { SnapshotIdentity } from '@lateen/repository';

/** What has changed in a volume since a snapshot of it was stored. */
export interface BlockChanges {
  /** Manifest ID of that snapshot in the repository. */
  baseID: string;
  /** Length of the chunks into which it is cut. */
  chunkBytes: number;
  /** In ascending order, without overlaps; all other bytes are those of the base. */
  changed: Iterable<{ offset: number; length: number }>;
}

/** A snapshot that is composed of its base and the changes. See `spliceSnapshot` of `@lateen/repository-session`. */
export interface SpliceVolume extends BlockChanges {
  source: SnapshotIdentity;
  sizeBytes: number;
  fileName: string;
  read(into: Uint8Array, offset: number): Promise<void>;
  onProgress(progress: { changedBytes: number; readBytes: number }): void;
  signal: AbortSignal;
}

/** Ports by which a block volume is uploaded without reading all of it. */
export interface BlockSplice {
  /**
   * The changes since the base. Undefined when everything has to be read; the implementation has logged the reason then.
   * @throws the signal's reason on abort; nothing else
   */
  changesOf(volume: {
    source: SnapshotIdentity;
    sizeBytes: number;
    signal: AbortSignal;
  }): Promise<BlockChanges | undefined>;
  /** @throws AppError {@link baseUnusableCode} with `details.reason`: everything has to be read */
  splice(volume: SpliceVolume): Promise<{ snapshotID: string; readBytes: number }>;
}

/** The code of `spliceSnapshot` for a base that cannot be used. */
export const baseUnusableCode = 'BASE_SNAPSHOT_UNUSABLE';
