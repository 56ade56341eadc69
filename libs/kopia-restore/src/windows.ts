import { type Folder, type PlacedEntry, pathIn, type TreeEntry } from './tree-entry.ts';

/** A part of the tree that is restored at a time: what it holds is known whole, what comes after it is not yet read. */
export interface RestoreWindow {
  /** Folders met for the first time, each after the one that it is in. */
  folders: Folder[];
  /** In the order of the walk, which is about the order of the backup and so of the packs. */
  entries: PlacedEntry[];
  /** Folders all of whose entries are in this window or in earlier ones, each after those in it. */
  ended: Folder[];
}

export interface WindowLimits {
  /** Folders and entries together. */
  entriesMax: number;
  /** Of names and paths. */
  nameBytesMax: number;
}

/** Entries of a folder's object as they are read, some at a time. */
export type ReadFolder = (objectId: string) => AsyncIterable<readonly TreeEntry[]>;

interface Frame {
  folder: Folder;
  batches: AsyncIterator<readonly TreeEntry[]>;
  batch: readonly TreeEntry[];
  at: number;
}

/**
 * The tree in windows, depth first. Memory: the window, and one batch of entries for each folder on the way to the one that is
 * being read, however many entries a folder or the tree has. Rejects with what `readFolder` does.
 */
export async function* windowsOf(
  root: { folder: Folder; objectId: string },
  readFolder: ReadFolder,
  limits: WindowLimits,
): AsyncGenerator<RestoreWindow, void, undefined> {
  const filling = new FillingWindow(limits);
  const frames: Frame[] = [];
  const enter = (folder: Folder, objectId: string) => {
    filling.begin(folder);
    frames.push({ folder, batches: readFolder(objectId)[Symbol.asyncIterator](), batch: [], at: 0 });
  };
  try {
    enter(root.folder, root.objectId);
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const entry = frame.batch[frame.at++];
      if (entry !== undefined) {
        const { folder } = frame;
        if (entry.kind === 'folder') enter(childOf(folder, entry), entry.objectId);
        else filling.add({ ...entry, kind: entry.kind, folder });
      } else if (!(await refilled(frame))) {
        filling.end(frame.folder);
        frames.pop();
      }
      if (filling.isFull) yield filling.take();
    }
    if (!filling.isEmpty) yield filling.take();
  } finally {
    await Promise.all(frames.map(({ batches }) => batches.return?.()));
  }
}

const childOf = (folder: Folder, { name, attributes }: TreeEntry): Folder => ({
  path: pathIn(folder, name),
  attributes,
});

/** False at the end of the folder. */
async function refilled(frame: Frame): Promise<boolean> {
  const next = await frame.batches.next();
  frame.batch = next.done === true ? [] : next.value;
  frame.at = 0;
  return next.done !== true;
}

class FillingWindow {
  readonly #limits: WindowLimits;
  #window: RestoreWindow = { folders: [], entries: [], ended: [] };
  #nameBytes = 0;

  constructor(limits: WindowLimits) {
    this.#limits = limits;
  }

  begin(folder: Folder): void {
    this.#window.folders.push(folder);
    this.#nameBytes += folder.path.length;
  }

  add(entry: PlacedEntry): void {
    this.#window.entries.push(entry);
    this.#nameBytes += entry.name.length;
  }

  end(folder: Folder): void {
    this.#window.ended.push(folder);
  }

  take(): RestoreWindow {
    const taken = this.#window;
    this.#window = { folders: [], entries: [], ended: [] };
    this.#nameBytes = 0;
    return taken;
  }

  get #size(): number {
    const { folders, entries, ended } = this.#window;
    return folders.length + entries.length + ended.length;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  get isFull(): boolean {
    return this.#size >= this.#limits.entriesMax || this.#nameBytes >= this.#limits.nameBytesMax;
  }
}
