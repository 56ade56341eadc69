import { orAborted } from '@lateen/kernel';
import { type FetchDeps, type PackBytes, piecesOf } from '../fetch-range.ts';
import type { Shelf } from './shelf.ts';
import { Visits } from './visits.ts';

export interface WholePacksOptions {
  fetching: FetchDeps;
  /** Absent: there is no disk for it. */
  disk: Shelf | undefined;
  memory: Shelf;
}

/** Packs that are read time and again, fetched whole once and kept on disk, or in memory where there is no disk. */
export class WholePacks {
  readonly #options: WholePacksOptions;
  readonly #visits = new Visits();
  readonly #fetching = new Map<string, Promise<void>>();
  readonly #closed = new AbortController();

  constructor(options: WholePacksOptions) {
    this.#options = options;
  }

  /** Fills `into` with a single slice, if the pack is kept or worth it. @returns whether it did */
  async readOne(slice: PackBytes, into: Uint8Array, signal: AbortSignal): Promise<boolean> {
    if (await this.#read(slice, into)) return true;
    if (!this.#visits.read(slice.packId)) return false;
    await orAborted(this.#fetch(slice.packId, true), signal);
    return await this.#read(slice, into);
  }

  /** The same for a range of a call of `readAll`; such packs are kept on disk only: memory is for what is on its way. */
  async readRange(range: PackBytes, into: Uint8Array, call: object, signal: AbortSignal): Promise<boolean> {
    const { packId, offset, length } = range;
    if (await this.#read(range, into)) return true;
    if (!this.#visits.window(packId, call, offset, offset + length)) return false;
    if (this.#options.disk?.isOpen !== true) return false;
    await orAborted(this.#fetch(packId, false), signal);
    return await this.#read(range, into);
  }

  async close(): Promise<void> {
    this.#closed.abort(new Error('the reader of packs was closed'));
    await Promise.all(this.#fetching.values());
    await Promise.all(this.#shelves.map((shelf) => shelf.close()));
  }

  get #shelves(): Shelf[] {
    const { disk, memory } = this.#options;
    return disk === undefined ? [memory] : [disk, memory];
  }

  async #read({ packId, offset }: PackBytes, into: Uint8Array): Promise<boolean> {
    for (const shelf of this.#shelves) if (await shelf.read(packId, offset, into)) return true;
    return false;
  }

  /** Never rejects: what could not be fetched whole is read in parts, which tells why. */
  #fetch(packId: string, mayUseMemory: boolean): Promise<void> {
    const under = this.#fetching.get(packId);
    if (under !== undefined) return under;
    const fetching = this.#keep(packId, mayUseMemory)
      .catch(() => false)
      .then((isKept) => {
        this.#fetching.delete(packId);
        if (!isKept) this.#visits.giveUp(packId);
      });
    this.#fetching.set(packId, fetching);
    return fetching;
  }

  async #keep(packId: string, mayUseMemory: boolean): Promise<boolean> {
    const { disk, memory, fetching } = this.#options;
    const pieces = () => piecesOf(fetching, { packId }, this.#closed.signal);
    if (disk?.isOpen === true && (await disk.keep(packId, pieces()))) return true;
    return mayUseMemory && memory.isOpen && (await memory.keep(packId, pieces()));
  }
}
