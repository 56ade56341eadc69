/* What an uploader asks of a session with the repository, so that it need not read large files as a whole (docs/adr/0084). The uploader
 * does not load the session, and the session knows nothing of volumes: here are the words of both. */

/** A file of a file system volume. */
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

/** The chunks of a file that may differ from the base, in ascending order; others have the same length and bytes in the base. */
export type ChangedChunksOf = (chunkBytes: number) => Promise<readonly number[]>;

/** A large file, where the repository has it, and what the tags of the base say. */
export interface FileVersions {
  file: LargeFile;
  base: Pick<LargeFile, 'sizeBytes' | 'mtimeNs'> | undefined;
  baseTags: Readonly<Record<string, unknown>>;
}

export interface FilesToSplice {
  /** The path of the source. */
  sourcePath: string;
  /** The snapshot that changes are relative to; undefined if there are none: then nothing is written. */
  baseID: string | undefined;
  files: readonly LargeFile[];
  /** Decides whether a file is made of its base; undefined leaves it to the engine. */
  compare(versions: FileVersions): ChangedChunksOf | undefined;
  /** Fills `into` with bytes of the file from `offset`; the same bytes each time. */
  read(file: LargeFile, into: Uint8Array, offset: number, signal: AbortSignal): Promise<void>;
  onRead?(bytes: number): void;
  signal: AbortSignal;
}

/** What has become of a file. `isKnown`: the engine does not read it, because a snapshot has it with this size and time. */
export type SplicedFile =
  | { kind: 'engine'; isKnown: boolean }
  /** Composed of the base and its changed chunks. `isEqual`: all that the engine may take instead has the same bytes. */
  | { kind: 'compared'; isKnown: boolean; isEqual: boolean };

export interface SplicedFiles {
  /** Of each file, by its path. */
  files: Map<string, SplicedFile>;
  /** The unfinished snapshot in which the engine finds the composed files; undefined if it needs none. */
  checkpointID: string | undefined;
  /** Read from the volume. */
  readBytes: number;
}
