import type { SnapshotSource, Uploader } from '@lateen/datapath';

/** An engine with a store to keep repositories in, as {@link import('./describe-uploader.ts').describeUploader} needs it. */
export interface EngineUnderTest {
  /** A new repository, initialised, in a directory of its own. */
  repository(): Promise<RepositoryUnderTest>;
  /** What the engine is known to do; each `false` is a documented limit and is tested as such. */
  can: EngineAbilities;
}

export interface EngineAbilities {
  /** With `WriteSparseFiles`, holes of sparse files are restored as holes. */
  restoreHoles: boolean;
  /** Two names of one file are restored as two names of one file. */
  keepHardLinks: boolean;
  /** A restored file replaces a symlink in its place; otherwise the engine writes through the symlink. */
  replaceSymlinks: boolean;
  /** Volumes of mode Block; without it they are refused with UPLOADER_UNSUPPORTED. */
  moveBlockVolumes: boolean;
  /** A tree without changes counts as 0 new bytes; otherwise only as less than one part in a thousand. */
  countUnchangedAsNothing: boolean;
}

/** Wrong ways to open a repository. */
export interface OpenedWrongly {
  password?: string;
  /** Opens a place without a repository. */
  elsewhere?: boolean;
}

export interface RepositoryUnderTest {
  /** A directory for the files of a case; the caller of the suite removes it. */
  directory: string;
  source: SnapshotSource;
  /** Opens the engine on this repository, uses it, closes it. */
  use<T>(work: (uploader: Uploader) => Promise<T>, wrongly?: OpenedWrongly): Promise<T>;
  /** Every snapshot the repository holds, unfinished ones included. */
  snapshotIds(): Promise<string[]>;
  /** Locks in the repository; an engine without locks has none. */
  locks(): Promise<string[]>;
  /** Everything the uploader logged so far. */
  said(): string;
  secrets: readonly string[];
}
