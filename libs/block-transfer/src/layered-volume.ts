import type { StatusLink } from '@lateen/block-engine';
import type { OpenedChain } from './snapshot-source.ts';

type Layer = { readonly name: string; readonly sectors: Map<number, number> };

/** What tests back up: a replica's layers, in sectors that have one value each. */
export class LayeredVolume {
  readonly #sectors: number;
  readonly #sectorBytes: number;
  /** The newest first; what is written goes to `#head`. */
  #layers: readonly Layer[] = [];
  #head = new Map<number, number>();
  /** Bytes that were asked for. */
  readBytes = 0;

  constructor(sectors: number, sectorBytes: number) {
    this.#sectors = sectors;
    this.#sectorBytes = sectorBytes;
  }

  get sizeBytes(): number {
    return this.#sectors * this.#sectorBytes;
  }

  /** 0: zeros that are written. */
  write(sector: number, value: number): void {
    this.#head.set(sector % this.#sectors, value);
  }

  snapshot(name: string): void {
    this.#layers = [{ name, sectors: this.#head }, ...this.#layers];
    this.#head = new Map();
  }

  bytesOf(snapshot: string): Uint8Array {
    const chain = this.#chainOf(snapshot);
    const bytes = new Uint8Array(this.sizeBytes);
    for (let sector = 0; sector < this.#sectors; sector++) this.#fill(bytes, sector, valueIn(chain, sector));
    return bytes;
  }

  open(snapshot: string): OpenedChain {
    const chain = this.#chainOf(snapshot);
    const bytes = this.bytesOf(snapshot);
    const refuse = () => Promise.reject(new Error('a snapshot is read only'));
    const link: StatusLink = {
      sizeBytes: BigInt(this.sizeBytes),
      oldestPendingMs: undefined,
      closed: new Promise(() => {}),
      contexts: ['base:allocation', 'qemu:allocation-depth'],
      read: async (at, lengthBytes) => {
        this.readBytes += lengthBytes;
        const half = Math.ceil(lengthBytes / 2);
        const [start, end] = [Number(at), Number(at) + lengthBytes];
        return [bytes.slice(start, start + half), bytes.slice(start + half, end)].filter(({ length }) => length > 0);
      },
      status: async (context, at, lengthBytes) => {
        const first = Number(at) / this.#sectorBytes;
        const count = Math.ceil(lengthBytes / this.#sectorBytes);
        return Array.from({ length: count }, (_, index) => {
          const depth = chain.findIndex(({ sectors }) => sectors.has(first + index)) + 1;
          const flags = depth === 0 ? 3 : valueIn(chain, first + index) === 0 ? 2 : 0;
          return { lengthBytes: this.#sectorBytes, value: context === 'base:allocation' ? flags : depth };
        });
      },
      write: refuse,
      zero: refuse,
      trim: refuse,
      flush: refuse,
      [Symbol.asyncDispose]: async () => {},
    };
    return { link, chain: chain.map(({ name }) => name), [Symbol.asyncDispose]: async () => {} };
  }

  #chainOf(snapshot: string): readonly Layer[] {
    const at = this.#layers.findIndex(({ name }) => name === snapshot);
    if (at < 0) throw new Error(`no snapshot ${snapshot}`);
    return this.#layers.slice(at);
  }

  #fill(bytes: Uint8Array, sector: number, value: number): void {
    bytes.fill(value, sector * this.#sectorBytes, (sector + 1) * this.#sectorBytes);
  }
}

const valueIn = (chain: readonly Layer[], sector: number): number =>
  chain.find(({ sectors }) => sectors.has(sector))?.sectors.get(sector) ?? 0;
