/** What `stat` tells about a regular file. */
export interface FileFacts {
  sizeBytes: number;
  /** Blocks that it has of its own or shares; less than the size for a sparse file. */
  allocatedBytes: number;
  inode: number;
  /** When its bytes were written last, in whole ms since the epoch. */
  modifiedMs: number;
}

/** What `statfs` tells about a mounted file system. `available` is what an ordinary user can still have. */
export interface SpaceFacts {
  totalBytes: number;
  usedBytes: number;
  availableBytes: number;
  totalInodes: number;
  freeInodes: number;
}

/** A file that is open; it can be read to the end also when its name is gone. */
export interface OpenFile extends AsyncDisposable {
  /** Fills `into` from `at` on. @throws when the file ends before */
  read(at: number, into: Uint8Array): Promise<void>;
}

/**
 * The file operations that the driver's safety rests on, as a port: a test makes any one of them the last before a crash.
 * "Durably" means that the result survives a power cut once the promise resolves. None follows a path from a request
 * without its caller having checked it.
 */
export interface Files {
  /** Undefined when there is no such file. */
  readText(path: string): Promise<string | undefined>;
  /** All or nothing: temporary file, fsync, rename, fsync of the directory. */
  writeDurably(path: string, text: string): Promise<void>;
  /** Puts a file, whose content is durable already, in the place of another. All or nothing. */
  replaceDurably(from: string, to: string): Promise<void>;
  /** Removes a file durably. Absent is fine. */
  removeDurably(path: string): Promise<void>;
  /** Names in a directory, unsorted. */
  list(directory: string): Promise<string[]>;
  /** A new file of zeros that takes no room. Fails when the path exists. */
  createSparse(path: string, bytes: number): Promise<void>;
  /** Makes a file longer, never shorter. */
  growSparse(path: string, bytes: number): Promise<void>;
  /** Makes the content and the name of a file durable. */
  sync(path: string): Promise<void>;
  /** Undefined when there is no such file. */
  facts(path: string): Promise<FileFacts | undefined>;
  openForReading(path: string): Promise<OpenFile>;
  space(directory: string): Promise<SpaceFacts>;
  makeDirectory(path: string): Promise<void>;
  /** Makes an empty file (and its directories) to mount a device on. Present is fine. */
  makeMountFile(path: string): Promise<void>;
  /** Removes an empty directory or an empty file. Absent is fine. @throws when it holds something. */
  removeMountPoint(path: string): Promise<void>;
}
