import type { FolderEntry, ObjectId } from '@lateen/kopia-format';
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
 * entries, and reads a folder on only when it has been through those in it that it was given. What could not be read rejects where
 * the walk comes to it. Nothing is being read any more when this settles.
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

/** A folder that the walk has not been through. */
interface ComingFolder {
  objectId: ObjectId;
  isAsked: boolean;
  /** Infinite for what is not read ahead; undefined until it is known. */
  bytes: number | undefined;
  entries: Promise<readonly (readonly FolderEntry[])[]> | undefined;
}

class FoldersAhead {
  readonly #source: FolderSource;
  readonly #limits: AheadLimits;
  readonly #signal: AbortSignal;
  /** In the order in which the walk ends with them: each after those in it, so that new ones are put in before it. */
  readonly #coming: ComingFolder[] = [];
  readonly #running = new Set<Promise<unknown>>();
  #heldBytes = 0;
  #isSizing = false;

  constructor(source: FolderSource, limits: AheadLimits, signal: AbortSignal) {
    this.#source = source;
    this.#limits = limits;
    this.#signal = signal;
  }

  async *read(objectId: ObjectId): AsyncGenerator<readonly FolderEntry[], void, undefined> {
    const folder = this.#asked(objectId);
    try {
      if (folder.entries !== undefined) {
        const groups = await folder.entries;
        this.#free(folder);
        yield* groups;
        return;
      }
      for await (const entries of this.#source.read(objectId)) {
        this.#meet(folder, entries);
        yield entries;
      }
    } finally {
      // With those in it that nobody came to.
      for (const left of this.#coming.splice(0, this.#coming.indexOf(folder) + 1)) this.#free(left);
    }
  }

  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  #asked(objectId: ObjectId): ComingFolder {
    const isIt = (coming: ComingFolder) => !coming.isAsked && isSame(coming.objectId, objectId);
    const known = this.#coming.find(isIt);
    const folder = known ?? comingFolder(objectId);
    if (known === undefined) this.#coming.unshift(folder);
    folder.isAsked = true;
    return folder;
  }

  #meet(folder: ComingFolder, entries: readonly FolderEntry[]): void {
    const at = this.#coming.indexOf(folder);
    if (at === -1) return;
    const below = entries.flatMap(({ type, objectId }) =>
      type === 'folder' && objectId !== undefined ? [comingFolder(objectId)] : [],
    );
    this.#coming.splice(at, 0, ...below);
    this.#begin();
  }

  /** Whatever comes next and has room. */
  #begin(): void {
    if (this.#signal.aborted) return;
    const { foldersAheadMax, folderBytesAheadMax } = this.#limits;
    const next = this.#coming.slice(0, foldersAheadMax);
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
      // Whoever reads them meets the same, and says for which.
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
    this.#meet(folder, groups.flat());
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

const comingFolder = (objectId: ObjectId): ComingFolder => ({
  objectId,
  isAsked: false,
  bytes: undefined,
  entries: undefined,
});

const isSame = (one: ObjectId, other: ObjectId): boolean =>
  one.contentId === other.contentId && one.indirection === other.indirection;
