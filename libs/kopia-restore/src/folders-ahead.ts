import type { FolderEntry, ObjectId } from '@lateen/kopia-format';
import { type ComingFolder, ComingFolders } from './coming-folders.ts';
import type { ReadFolder } from './windows.ts';

/** Folders of a snapshot. */
export interface FolderSource {
  read: ReadFolder;
  /** Bytes of their objects; undefined for one of several contents, or of none that is known. */
  sizesOf(objectIds: readonly ObjectId[]): Promise<readonly (number | undefined)[]>;
}

/** Of folders that are read before the walk comes to them. */
export interface AheadLimits {
  /** That are being read, or wait for the walk. */
  foldersAheadMax: number;
  /** Of their objects together; a larger folder is read when the walk comes to it. */
  folderBytesAheadMax: number;
}

/**
 * Walks a tree by a `ReadFolder` that gives the same entries as the source's, and reads those folders beforehand that come next: far
 * from the store, a walk takes a round trip for some dozens of them and not for each. The walk goes depth first, in the order of the
 * entries; it may leave out folders with all that is in them. What could not be read rejects where the walk comes to it. Nothing is
 * being read any more when this settles.
 */
export async function readingAhead<Result>(
  source: (signal: AbortSignal) => FolderSource,
  limits: AheadLimits,
  signal: AbortSignal,
  walk: (readFolder: ReadFolder) => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  const ends = AbortSignal.any([signal, over.signal]);
  const ahead = new FoldersAhead(source(ends), limits, ends);
  try {
    return await walk((objectId) => ahead.read(objectId));
  } finally {
    over.abort(new Error('the walk is over'));
    await ahead.settled();
  }
}

class FoldersAhead {
  readonly #source: FolderSource;
  readonly #limits: AheadLimits;
  readonly #signal: AbortSignal;
  readonly #coming = new ComingFolders();
  readonly #running = new Set<Promise<unknown>>();
  #heldBytes = 0;
  #isSizing = false;

  constructor(source: FolderSource, limits: AheadLimits, signal: AbortSignal) {
    this.#source = source;
    this.#limits = limits;
    this.#signal = signal;
  }

  async *read(objectId: ObjectId): AsyncGenerator<readonly FolderEntry[], void, undefined> {
    const { folder, leftOut } = this.#coming.ask(objectId);
    for (const left of leftOut) this.#free(left);
    try {
      if (folder.entries !== undefined) {
        const groups = await folder.entries;
        this.#free(folder);
        yield* groups;
        return;
      }
      for await (const entries of this.#source.read(objectId)) {
        this.#coming.meet(folder, entries);
        this.#begin();
        yield entries;
      }
    } finally {
      this.#coming.remove(folder);
      this.#free(folder);
    }
  }

  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  /** Whatever comes next and has room. */
  #begin(): void {
    if (this.#signal.aborted) return;
    const { foldersAheadMax, folderBytesAheadMax } = this.#limits;
    const next = this.#coming.next(foldersAheadMax);
    for (const folder of next) {
      const { bytes } = folder;
      if (folder.isAsked || folder.entries !== undefined) continue;
      if (bytes === undefined) {
        this.#size(next.filter((each) => !each.isAsked && each.bytes === undefined));
        return;
      }
      if (bytes > folderBytesAheadMax) continue;
      if (this.#heldBytes + bytes > folderBytesAheadMax) return;
      this.#heldBytes += bytes;
      folder.entries = this.#run(this.#readWhole(folder));
    }
  }

  #size(folders: readonly ComingFolder[]): void {
    if (this.#isSizing) return;
    this.#isSizing = true;
    const sizing = this.#source
      .sizesOf(folders.map(({ objectId }) => objectId))
      // The consumer gets the same error, and reports the folder.
      .catch(() => [])
      .then((sizes) => {
        for (const [at, folder] of folders.entries()) folder.bytes = sizes[at] ?? Number.POSITIVE_INFINITY;
        this.#isSizing = false;
        this.#begin();
      });
    void this.#run(sizing);
  }

  async #readWhole(folder: ComingFolder): Promise<readonly (readonly FolderEntry[])[]> {
    const groups = await Array.fromAsync(this.#source.read(folder.objectId));
    this.#coming.meet(folder, groups.flat());
    this.#begin();
    return groups;
  }

  /** Its entries are with the walk, or of no use. */
  #free(folder: ComingFolder): void {
    const { bytes = 0, entries } = folder;
    if (entries === undefined) return;
    folder.entries = undefined;
    const free = () => {
      this.#heldBytes -= bytes;
      this.#begin();
    };
    void this.#run(entries.then(free, free));
  }

  #run<Result>(work: Promise<Result>): Promise<Result> {
    const running: Promise<unknown> = work.catch(() => {}).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return work;
  }
}
