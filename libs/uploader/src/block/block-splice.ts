import type { SnapshotIdentity } from '@lateen/repository';

/** A volume that is about to be read. */
export interface VolumeOfChanges {
  source: SnapshotIdentity;
  sizeBytes: number;
  signal: AbortSignal;
}

/** A block volume that is about to be read. */
export interface BlockVolumeOfChanges extends VolumeOfChanges {
  /** By which the engine cuts this source now; undefined: the default of the repository's format. */
  splitter: string | undefined;
  /** Whether the source has been uploaded before. */
  isUsed: boolean;
  /** Whether a full read leaves out what has no data ({@link FullRead.allocated}). */
  skipsUnused: boolean;
}

/** What has changed in a volume since a snapshot of it was stored. */
export interface BlockChanges {
  kind: 'changes';
  /** Manifest ID of that snapshot in the repository. */
  baseID: string;
  /** Length of the chunks into which it is cut. */
  chunkBytes: number;
  /** In ascending order, without overlaps; all other bytes are those of the base. */
  changed: Iterable<{ offset: number; length: number }>;
  /**
   * Unchanged chunks that are read and compared with the base, by how many splices there were since the last full read or
   * verification; absent: none.
   */
  chunksToVerify?: (incrementsSinceCheck: number) => Iterable<number>;
}

/** Everything has to be read. The reason is for the status. */
export interface FullRead {
  kind: 'full';
  reason: string;
  /** In ascending order, without overlaps: what has data, when the storage tells it. All other bytes are zero. */
  allocated?: Iterable<{ offset: number; length: number }> | undefined;
  /** Where an unchanged chunk begins that is stored with other bytes; set when a verification has found one. */
  differsAt?: number | undefined;
}

/** A snapshot that is composed of its base and the changes. See `spliceSnapshot` of `@lateen/repository-session`. */
export interface SpliceVolume extends Omit<BlockChanges, 'kind'> {
  source: SnapshotIdentity;
  sizeBytes: number;
  fileName: string;
  read(into: Uint8Array, offset: number): Promise<void>;
  onProgress(progress: { changedBytes: number; readBytes: number }): void;
  signal: AbortSignal;
}

/** The snapshot, and how much of the volume was read for it. */
export interface SplicedVolume {
  snapshotID: string;
  readBytes: number;
  /** In the chunks that may have changed. */
  changedBytes: number;
  /** Of those, in chunks that differ from those of the base. */
  uploadedBytes: number;
  /** In unchanged chunks, which were read as well and equal the base; absent: nothing was verified. */
  verifiedBytes?: number;
}

/** Ports by which a block volume is uploaded without reading all of it. */
export interface BlockSplice {
  /**
   * The changes since the base, or why everything has to be read; the implementation has logged any error then.
   * @throws the signal's reason on abort; nothing else
   */
  changesOf(volume: BlockVolumeOfChanges): Promise<BlockChanges | FullRead>;
  /**
   * Called once after changes, or not at all.
   * @throws AppError {@link baseUnusableCode} with `details.reason`: everything has to be read; so it is after {@link sessionCodes}
   */
  splice(volume: SpliceVolume): Promise<SplicedVolume>;
}

/** The code of `spliceSnapshot` for a base that cannot be used. */
export const baseUnusableCode = 'BASE_SNAPSHOT_UNUSABLE';

/** Codes of a session with the repository that cannot be had or held; the engine's own upload needs none. */
export const sessionCodes: ReadonlySet<string> = new Set([
  'REPOSITORY_SESSION_LOST',
  'REPOSITORY_SESSION_DENIED',
  'REPOSITORY_SERVER_SLOW',
  'REPOSITORY_SERVER_UNSUPPORTED',
]);
