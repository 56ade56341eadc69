import { indexCorrupt } from './index-corrupt.ts';
import { emptyEntry, type IndexEntry, readEntry, uint32 } from './index-entry.ts';
import { headBytesMax, type IndexLayout, indexLayout } from './index-layout.ts';
import type { IndexSource } from './index-source.ts';
import { type IndexTables, readTables } from './index-tables.ts';
import { type EntryRun, joinSorted, leap } from './join-sorted.ts';
import type { SortedKeys } from './sorted-keys.ts';

/** Entries that are searched, and read from disk, as one. */
const blockEntries = 256;
/** Blocks that lie beside each other are read with one call, of no more than this. */
const readBytesMax = 1024 * 1024;

/** One index blob, opened. Its entries are sorted by content, each content once. */
export class IndexFile {
  readonly blobId: string;
  readonly tables: IndexTables;
  readonly #source: IndexSource;
  readonly #layout: IndexLayout;
  /** First 8 bytes of the first key of each block, where the entries are not in memory. */
  readonly #blockHigh: Uint32Array;
  readonly #blockLow: Uint32Array;
  readonly #blocksAtOnce: number;

  private constructor(blobId: string, source: IndexSource, layout: IndexLayout, tables: IndexTables) {
    this.blobId = blobId;
    this.tables = tables;
    this.#source = source;
    this.#layout = layout;
    const blocks = source.whole === undefined ? Math.ceil(layout.entryCount / blockEntries) : 0;
    this.#blockHigh = new Uint32Array(blocks);
    this.#blockLow = new Uint32Array(blocks);
    this.#blocksAtOnce = Math.max(1, Math.floor(readBytesMax / (blockEntries * Math.max(layout.stride, 1))));
  }

  get entryCount(): number {
    return this.#layout.entryCount;
  }

  /** Takes over the source. @throws AppError INDEX_CORRUPT */
  static async open(blobId: string, source: IndexSource, signal: AbortSignal): Promise<IndexFile> {
    const head = await source.read(0, Math.min(headBytesMax, source.size), signal);
    const layout = indexLayout(head, source.size);
    if (layout === undefined) throw indexCorrupt(blobId, 'it is not an index of a known version');
    const file = new IndexFile(blobId, source, layout, await readTables(blobId, layout, source, signal));
    if (source.whole === undefined) await file.#readBlockKeys(signal);
    return file;
  }

  /** Calls `found` for each of the keys that is here. The entry is filled again for the next one. */
  async find(keys: SortedKeys, found: (index: number, entry: IndexEntry) => void, signal: AbortSignal): Promise<void> {
    const entry = emptyEntry();
    const join = (from: number, to: number, run: EntryRun) =>
      joinSorted(keys, from, to, run, (index, at) => {
        readEntry(this.#layout, run.bytes, at, entry);
        found(index, entry);
      });
    if (this.entryCount === 0) return;
    if (this.#source.whole !== undefined) return join(0, keys.count, await this.#entries(0, this.entryCount, signal));
    for (let index = 0; index < keys.count; ) {
      const { to, first, end } = this.#nextRead(keys, index);
      join(index, to, await this.#blocks(first, end, signal));
      index = to;
    }
  }

  /** Runs that hold all entries whose keys begin with `letter` (0: data); of all letters when there is none given. */
  async *runs(letter: number | undefined, signal: AbortSignal): AsyncGenerator<EntryRun> {
    if (this.entryCount === 0) return;
    if (this.#source.whole !== undefined) {
      yield await this.#entries(0, this.entryCount, signal);
      return;
    }
    const blocks = this.#blockHigh.length;
    const letterOf = (block: number) => (this.#blockHigh[block] ?? 0) >>> 24;
    let block = 0;
    if (letter !== undefined) while (block + 1 < blocks && letterOf(block + 1) < letter) block++;
    while (block < blocks && (letter === undefined || letterOf(block) <= letter)) {
      const end = Math.min(block + this.#blocksAtOnce, blocks);
      yield await this.#blocks(block, end, signal);
      block = end;
    }
  }

  read(run: EntryRun, at: number, into: IndexEntry): void {
    readEntry(this.#layout, run.bytes, at, into);
  }

  close(): Promise<void> {
    return this.#source.close();
  }

  /** The blocks that the key at `index` may lie in, and as many keys after it as lie in them or in the next ones. */
  #nextRead(keys: SortedKeys, index: number): { to: number; first: number; end: number } {
    const first = this.#blockOf(keys, index, 0);
    let end = this.#endOf(keys, index, first);
    let to = index + 1;
    while (to < keys.count && this.#blockOf(keys, to, end - 1) <= end) {
      const next = this.#endOf(keys, to, end - 1);
      if (next - first > this.#blocksAtOnce) break;
      end = Math.max(end, next);
      to++;
    }
    return { to, first, end };
  }

  /** The last block that begins before the key; from `from` on. */
  #blockOf(keys: SortedKeys, index: number, from: number): number {
    return leap(from, this.#blockHigh.length, (block) => this.#compare(keys, index, block) > 0) - 1;
  }

  /** The first block that begins after the key. Two keys may share what is known of a beginning, so both are asked for. */
  #endOf(keys: SortedKeys, index: number, from: number): number {
    return leap(from, this.#blockHigh.length, (block) => this.#compare(keys, index, block) >= 0);
  }

  #compare(keys: SortedKeys, index: number, block: number): number {
    const high = (keys.high[index] ?? 0) - (this.#blockHigh[block] ?? 0);
    return high === 0 ? (keys.low[index] ?? 0) - (this.#blockLow[block] ?? 0) : high;
  }

  async #readBlockKeys(signal: AbortSignal): Promise<void> {
    const blocks = this.#blockHigh.length;
    for (let first = 0; first < blocks; first += this.#blocksAtOnce) {
      const end = Math.min(first + this.#blocksAtOnce, blocks);
      const { bytes } = await this.#blocks(first, end, signal);
      for (let block = first; block < end; block++) {
        const at = (block - first) * blockEntries * this.#layout.stride;
        this.#blockHigh[block] = uint32(bytes, at);
        this.#blockLow[block] = uint32(bytes, at + 4);
      }
    }
  }

  #blocks(first: number, end: number, signal: AbortSignal): Promise<EntryRun> {
    return this.#entries(first * blockEntries, Math.min(end * blockEntries, this.entryCount), signal);
  }

  async #entries(first: number, end: number, signal: AbortSignal): Promise<EntryRun> {
    const { stride, keySize, entriesOffset } = this.#layout;
    const bytes = await this.#source.read(entriesOffset + first * stride, (end - first) * stride, signal);
    return { bytes, at: 0, count: end - first, stride, keySize };
  }
}
