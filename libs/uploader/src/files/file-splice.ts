import type { FullRead, VolumeOfChanges } from '../block/block-splice.ts';

/** A file of the volume. */
export interface LargeFile {
  /** Below the root of the volume, without a slash in front. */
  path: string;
  sizeBytes: number;
  /** Nanoseconds since 1970. */
  mtimeNs: bigint;
  /** Permissions with set-user-ID, set-group-ID and sticky bit. */
  mode: number;
  uid: number;
  gid: number;
}

/** What may differ on the device since a snapshot of it was stored. */
export interface DeviceChanges {
  kind: 'changes';
  /** Manifest ID of that snapshot in the repository. */
  baseID: string;
  changed: {
    /** Of the device. */
    readonly sizeBytes: number;
    within(range: { offset: number; length: number }): Iterable<{ offset: number; length: number }>;
  };
}

/** See `SpliceFilesRequest` of `@lateen/repository-session`. */
export interface FilesToSplice {
  sourcePath: string;
  baseID: string | undefined;
  files: readonly LargeFile[];
  compare(versions: {
    file: LargeFile;
    base: { sizeBytes: number; mtimeNs: bigint } | undefined;
    baseTags: Readonly<Record<string, unknown>>;
  }): ((chunkBytes: number) => Promise<readonly number[]>) | undefined;
  read(file: LargeFile, into: Uint8Array, offset: number): Promise<void>;
  signal: AbortSignal;
}

/** See `SplicedFile` of `@lateen/repository-session`. */
export type SplicedFile =
  | { kind: 'engine'; isKnown: boolean }
  | { kind: 'compared'; isKnown: boolean; isEqual: boolean };

export interface SplicedFiles {
  files: ReadonlyMap<string, SplicedFile>;
  /** The unfinished snapshot in which the engine finds composed files. */
  checkpointID: string | undefined;
  readBytes: number;
}

/** Ports by which large files of a file system volume are uploaded without reading all of them. */
export interface FileSplice {
  /**
   * The changes of the device since the base, or why they are not known; the implementation has logged any error then.
   * @throws the signal's reason on abort; nothing else
   */
  changesOf(volume: VolumeOfChanges): Promise<DeviceChanges | FullRead>;
  /** @throws AppError `BASE_SNAPSHOT_UNUSABLE`, codes of a session that cannot be had or held, and what `read` throws */
  spliceFiles(request: FilesToSplice): Promise<SplicedFiles>;
}
