import type { SnapshotSource, Uploader } from '@lateen/datapath';

/** An engine with a store to keep repositories in, as {@link import('./describe-uploader.ts').describeUploader} needs it. */
export interface EngineUnderTest {
  /** A new repository, initialised, in a directory of its own. */
  repository(): Promise<RepositoryUnderTest>;
  /** What the engine is known to do; each `false` is a documented limit and is tested as such. */
  can: EngineAbilities;
}

export interface EngineAbilities {
  /** Holes of sparse files stay holes with `WriteSparseFiles`. */
  restoreHoles: boolean;
  /** Two names of one file are one file again. */
  keepHardLinks: boolean;
  /** A file takes the place of a symlink that is in its way; otherwise it is written to wherever that leads. */
  replaceSymlinks: boolean;
  /** Volumes of mode Block; without it they are refused with UPLOADER_UNSUPPORTED. */
  moveBlockVolumes: boolean;
  /** A tree in which nothing changed counts as 0 new bytes; otherwise only as less than one part in a thousand. */
  countUnchangedAsNothing: boolean;
}

/** How a repository is opened when not as it should be. */
export interface OpenedWrongly {
  password?: string;
  /** Where there is no repository. */
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
