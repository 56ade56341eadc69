import type { SnapshotIdentity } from '@lateen/repository';

/** What has changed in a volume since a snapshot of it was stored. */
export interface BlockChanges {
  /** That snapshot in the repository: its manifest ID. */
  baseID: string;
  /** Length of the chunks that it is cut into. */
  chunkBytes: number;
  /** In ascending order, without overlaps; all other bytes are those of the base. */
  changed: Iterable<{ offset: number; length: number }>;
}

/** A snapshot that is made of its base and what has changed. See `spliceSnapshot` of `@lateen/repository-session`. */
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
   * What has changed since the base. Undefined when everything has to be read, and then whoever answers has told why.
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
