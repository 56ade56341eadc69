import type { FolderEntry, ObjectId } from '@lateen/kopia-format';
import { type Folder, type PlacedEntry, pathIn } from './tree-entry.ts';

/** A part of the tree that is restored at a time: what it holds is known whole, what comes after it is not yet read. */
export interface RestoreWindow {
  /** Folders met for the first time, each after the one that it is in. */
  folders: Folder[];
  /** In the order of the walk, which is about the order of the backup and so of the packs. */
  entries: PlacedEntry[];
  /** Folders all of whose entries are in this window or in earlier ones, each after those in it. */
  ended: Folder[];
  /** Entries that are in the snapshot by name alone: kopia could not read them. */
  unread: string[];
}

export interface WindowLimits {
  /** Folders and entries together. */
  entriesMax: number;
  /** Of names and paths. */
  nameBytesMax: number;
}

/** Entries of a folder's object as they are read, some at a time. */
export type ReadFolder = (objectId: ObjectId) => AsyncIterable<readonly FolderEntry[]>;

interface Frame {
  folder: Folder;
  batches: AsyncIterator<readonly FolderEntry[]>;
  batch: readonly FolderEntry[];
  at: number;
}

/**
 * The tree in windows, depth first. Memory: the window, and one batch of entries for each folder on the way to the one that is
 * being read, however many entries a folder or the tree has. Rejects with what `readFolder` does.
 */
export async function* windowsOf(
  root: { folder: Folder; objectId: ObjectId },
  readFolder: ReadFolder,
  limits: WindowLimits,
): AsyncGenerator<RestoreWindow, void, undefined> {
  const filling = new FillingWindow(limits);
  const frames: Frame[] = [];
  const enter = (folder: Folder, objectId: ObjectId) => {
    filling.begin(folder);
    frames.push({ folder, batches: readFolder(objectId)[Symbol.asyncIterator](), batch: [], at: 0 });
  };
  try {
    enter(root.folder, root.objectId);
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const entry = frame.batch[frame.at++];
      if (entry !== undefined) {
        const { folder } = frame;
        const { type, objectId } = entry;
        if (objectId === undefined || type === 'other') filling.leaveOut(pathIn(folder.path, entry.name));
        else if (type === 'folder') enter({ path: pathIn(folder.path, entry.name), attributes: entry }, objectId);
        else filling.add({ entry: entry as PlacedEntry['entry'], folder });
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

/** False at the end of the folder. */
async function refilled(frame: Frame): Promise<boolean> {
  const next = await frame.batches.next();
  frame.batch = next.done === true ? [] : next.value;
  frame.at = 0;
  return next.done !== true;
}

const emptyWindow = (): RestoreWindow => ({ folders: [], entries: [], ended: [], unread: [] });

class FillingWindow {
  readonly #limits: WindowLimits;
  #window = emptyWindow();
  #nameBytes = 0;

  constructor(limits: WindowLimits) {
    this.#limits = limits;
  }

  begin(folder: Folder): void {
    this.#window.folders.push(folder);
    this.#nameBytes += folder.path.length;
  }

  add(placed: PlacedEntry): void {
    this.#window.entries.push(placed);
    this.#nameBytes += placed.entry.name.length;
  }

  leaveOut(path: string): void {
    this.#window.unread.push(path);
    this.#nameBytes += path.length;
  }

  end(folder: Folder): void {
    this.#window.ended.push(folder);
  }

  take(): RestoreWindow {
    const taken = this.#window;
    this.#window = emptyWindow();
    this.#nameBytes = 0;
    return taken;
  }

  get #size(): number {
    const { folders, entries, ended, unread } = this.#window;
    return folders.length + entries.length + ended.length + unread.length;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  get isFull(): boolean {
    return this.#size >= this.#limits.entriesMax || this.#nameBytes >= this.#limits.nameBytesMax;
  }
}
