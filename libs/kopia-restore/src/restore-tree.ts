import { AppError } from '@lateen/errors';
import { settleAll } from '@lateen/kernel';
import type { ObjectId } from '@lateen/kopia-format';
import type { FetchedSlices } from '@lateen/pack-reader';
import { contentColumns } from './content-columns.ts';
import type { ContentSlice, FilePart, LargeFile } from './content-slice.ts';
import { entryColumns, folderColumns } from './entry-columns.ts';
import { readingAhead } from './folders-ahead.ts';
import type { RestoreCounts } from './restore-counts.ts';
import type { RestorePorts, RestoreSettings } from './restore-ports.ts';
import { noContent, presence, type RestoreTask, type RestoreTaskResult } from './restore-task.ts';
import { type MissingEntries, type SliceBatch, sliceBatches } from './slice-batches.ts';
import type { Folder, PlacedEntry } from './tree-entry.ts';
import { type RestoreWindow, windowsOf } from './windows.ts';
import { partColumns, writeTasks } from './write-tasks.ts';

/** The number of entries that one task checks or creates: some tens of milliseconds of work. */
const entriesOfTask = 2048;
/** Parts of some MiB each that one task compares. */
const partsOfTask = 8;

/**
 * Fills a volume with a tree, window by window. While the contents of one window come, the folders and the index of the next
 * are read. Folders get their attributes when all that is in them has been written.
 * Rejects with the first failure, when nothing is being written any more; what was written stays.
 */
export async function restoreTree(
  ports: RestorePorts,
  settings: RestoreSettings,
  root: { folder: Folder; objectId: ObjectId },
  counts: RestoreCounts,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const restore = new TreeRestore(ports, settings, counts, AbortSignal.any([signal, failed.signal]));
  let written: Promise<void> = Promise.resolve();
  let expected = counts.files;
  const onFailure = (error: unknown) => {
    failed.abort(error);
    throw error;
  };
  try {
    await readingAhead(ports.folders, settings.limits, restore.signal, async (readFolder) => {
      for await (const window of windowsOf(root, readFolder, settings.limits)) {
        expected += window.entries.length;
        const prepared = await restore.prepare(window);
        // One window is written while the next is prepared; more would only take memory.
        await written;
        written = restore.write(prepared).catch(onFailure);
        written.catch(() => {});
      }
    });
    await written;
    if (counts.files !== expected) throw incomplete(counts.files, expected);
  } catch (error) {
    failed.abort(error);
    await Promise.allSettled([written]);
    signal.throwIfAborted();
    throw failed.signal.reason;
  }
}

/** Whatever goes wrong between folders, packs and threads: a restore that says it is whole has written each entry once. */
const incomplete = (files: number, expected: number): AppError =>
  new AppError('RESTORE_INCOMPLETE', `${files} files and links were written, and the snapshot has ${expected}`, {
    nextStep: 'Restore again, or with DirectRestore "false"; and report this message.',
  });

/** Fills one file, or the device, without a tree. Rejects as `restoreTree`. */
export async function restoreFile(
  ports: RestorePorts,
  settings: RestoreSettings,
  file: PlacedEntry,
  counts: RestoreCounts,
  signal: AbortSignal,
): Promise<void> {
  const restore = new TreeRestore(ports, settings, counts, signal);
  await restore.write(await restore.prepare({ folders: [], entries: [file], ended: [], unread: [] }));
}

/** A window whose folders are there, and what is still to be written of it. */
interface PreparedWindow {
  window: RestoreWindow;
  /** Its first contents, located already. */
  batches: AsyncGenerator<SliceBatch, void, undefined>;
  first: IteratorResult<SliceBatch, void>;
}

class TreeRestore {
  readonly signal: AbortSignal;
  readonly #ports: RestorePorts;
  readonly #settings: RestoreSettings;
  readonly #counts: RestoreCounts;

  constructor(ports: RestorePorts, settings: RestoreSettings, counts: RestoreCounts, signal: AbortSignal) {
    this.#ports = ports;
    this.#settings = settings;
    this.#counts = counts;
    this.signal = signal;
  }

  async prepare(window: RestoreWindow): Promise<PreparedWindow> {
    const { objects } = this.#ports;
    this.#counts.leaveOut(window.unread);
    if (window.folders.length > 0) await this.#run({ kind: 'prepare', folders: folderColumns(window.folders) });
    const { entries: missing, unfinished } = await this.#missingOf(window.entries);
    const isEmpty = ({ entry }: PlacedEntry) => entry.type === 'file' && entry.size === 0;
    await inParts(missing.filter(isEmpty), entriesOfTask, (empty) => this.#writeEmpty(empty));
    const entries = missing.filter((entry) => !isEmpty(entry));
    const batches = sliceBatches({ entries, unfinished }, objects, this.#settings.limits, this.signal);
    return { window, batches, first: await batches.next() };
  }

  async write({ window, batches, first }: PreparedWindow): Promise<void> {
    const open = new Set<LargeFile>();
    for (let next = first; next.done !== true; next = await batches.next()) await this.#writeBatch(next.value, open);
    await this.#finish([...open], open);
    await inParts(window.ended, entriesOfTask, async (folders) => {
      await this.#run({ kind: 'finish-folders', folders: folderColumns(folders) });
    });
  }

  /** The entries that are not there yet, or not whole. */
  async #missingOf(entries: readonly PlacedEntry[]): Promise<MissingEntries> {
    const { there } = this.#settings;
    const unfinished = new Set<PlacedEntry>();
    if (!there.skipsUnchanged && there.sinceNs === undefined) return { entries, unfinished };
    const missing: PlacedEntry[][] = [];
    await inParts(entries, entriesOfTask, async (part, at) => {
      const seen = await this.#run({ kind: 'look', entries: entryColumns(part), there });
      for (const [index, entry] of part.entries())
        if (seen.there?.[index] === presence.unfinished) unfinished.add(entry);
      missing[at] = part.filter((_, index) => seen.there?.[index] !== presence.whole);
    });
    return { entries: missing.flat(), unfinished };
  }

  async #writeEmpty(entries: readonly PlacedEntry[]): Promise<void> {
    await this.#run({
      kind: 'write',
      bytes: nothing,
      contents: noContents,
      entries: entryColumns(entries),
      contentOf: new Uint32Array(entries.length).fill(noContent),
      parts: noParts,
    });
  }

  /** `open` has the large files that are not whole yet. */
  async #writeBatch({ slices, begun }: SliceBatch, open: Set<LargeFile>): Promise<void> {
    for (const file of begun) open.add(file);
    const unmade = begun.filter(({ isUnfinished }) => !isUnfinished);
    await inParts(unmade, entriesOfTask, async (files) => {
      await this.#run({ kind: 'begin', entries: entryColumns(files.map(({ entry }) => entry)) });
    });
    const wanted = await this.#differing(slices);
    const take = async (fetched: FetchedSlices<ContentSlice>) => {
      const writes = writeTasks(fetched).map(async ({ task, parts }) => {
        const written = await this.#run(task);
        await this.#ports.unsynced?.wrote(written);
        for (const { file } of parts) file.missing--;
        await this.#finish(new Set(parts.map(({ file }) => file)), open);
      });
      // The memory is reused as soon as this ends: no task may still read it.
      await settleAll(writes);
    };
    await this.#ports.reader.readAll(wanted, take, this.signal);
  }

  /** The contents without the parts that unfinished files have already. */
  async #differing(slices: readonly ContentSlice[]): Promise<readonly ContentSlice[]> {
    const all = slices.flatMap((slice) =>
      slice.parts.filter(({ file }) => file.isUnfinished).map((part) => ({ slice, part })),
    );
    if (all.length === 0) return slices;
    const there = new Set<FilePart>();
    await inParts(all, partsOfTask, async (some) => {
      const seen = await this.#run({
        kind: 'compare',
        contentIds: some.map(({ slice }) => slice.contentId),
        lengths: Float64Array.from(some, ({ slice }) => slice.originalLength),
        parts: partColumns(some.map(({ part }) => ({ parts: [part] }))),
      });
      for (const [at, { part }] of some.entries()) {
        if (seen.there?.[at] !== 1) continue;
        there.add(part);
        part.file.missing--;
      }
    });
    return slices
      .map((slice) => ({ ...slice, parts: slice.parts.filter((part) => !there.has(part)) }))
      .filter(({ whole, parts }) => whole.length + parts.length > 0);
  }

  /** Those of the files of which nothing is missing any more. */
  async #finish(files: Iterable<LargeFile>, open: Set<LargeFile>): Promise<void> {
    const whole = [...files].filter((file) => file.isListed && file.missing === 0 && open.delete(file));
    if (whole.length === 0) return;
    await this.#run({ kind: 'finish-files', entries: entryColumns(whole.map(({ entry }) => entry)) });
  }

  async #run(task: RestoreTask): Promise<RestoreTaskResult> {
    const result = await this.#ports.pool.run(task, this.signal);
    this.#counts.add(result);
    return result;
  }
}

/** Several tasks of a size that workers share. */
async function inParts<T>(
  items: readonly T[],
  length: number,
  act: (part: readonly T[], index: number) => Promise<void>,
): Promise<void> {
  const parts = Array.from({ length: Math.ceil(items.length / length) }, (_, at) =>
    items.slice(at * length, (at + 1) * length),
  );
  await settleAll(parts.map(act));
}

const nothing = new Uint8Array(new SharedArrayBuffer(0));
const noContents = contentColumns('', 0, []);
const noParts = partColumns([]);
