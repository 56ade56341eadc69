import type { BlockSource, Extent } from './backup/block-source.ts';
import type { BlockSink } from './restore/run-restore.ts';

/** What tests back up: a volume with snapshots, as layers of sectors. */
export class ModelVolume {
  readonly sizeBytes: number;
  readonly #sectorBytes: number;
  #data: Uint8Array;
  /** Since the newest snapshot. */
  #written = new Set<number>();
  /** From the oldest to the newest that the volume builds on. */
  #chain: { name: string; data: Uint8Array; written: ReadonlySet<number> }[] = [];
  /** Bytes that were asked for. */
  readBytes = 0;

  constructor(sizeBytes: number, sectorBytes: number) {
    this.sizeBytes = sizeBytes;
    this.#sectorBytes = sectorBytes;
    this.#data = new Uint8Array(sizeBytes);
  }

  write(at: number, bytes: Uint8Array): void {
    this.#data.set(bytes, at);
    const last = Math.floor((at + bytes.length - 1) / this.#sectorBytes);
    for (let sector = Math.floor(at / this.#sectorBytes); sector <= last; sector++) this.#written.add(sector);
  }

  snapshot(name: string): void {
    this.#chain.push({ name, data: this.#data.slice(), written: this.#written });
    this.#written = new Set();
  }

  /** The volume is what it was; later snapshots are on another branch. */
  revert(name: string): void {
    this.#chain = this.#chain.slice(0, this.#at(name) + 1);
    this.#data = this.bytesOf(name);
    this.#written = new Set();
  }

  /** What it has written goes to the next one, as a merge of layers does. */
  deleteSnapshot(name: string): void {
    const at = this.#at(name);
    const [gone] = this.#chain.splice(at, 1);
    const next = this.#chain[at];
    const written = new Set([...(gone?.written ?? []), ...(next?.written ?? this.#written)]);
    if (next === undefined) this.#written = written;
    else this.#chain[at] = { ...next, written };
  }

  bytesOf(name: string): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#chain[this.#at(name)]?.data ?? []);
  }

  /** Those that `name` builds on. */
  before(name: string): Set<string> {
    return new Set(this.#chain.slice(0, this.#at(name)).map((each) => each.name));
  }

  get snapshots(): string[] {
    return this.#chain.map(({ name }) => name);
  }

  source(name: string): BlockSource {
    const data = this.bytesOf(name);
    const to = this.#at(name);
    const chain = this.#chain;
    const sectorBytes = this.#sectorBytes;
    const changed = async function* (since: string | undefined): AsyncGenerator<Extent> {
      const from = since === undefined ? 0 : chain.findIndex((each) => each.name === since) + 1;
      for (const { written } of chain.slice(from, to + 1)) {
        for (const sector of written) {
          yield { startBytes: BigInt(sector * sectorBytes), lengthBytes: BigInt(sectorBytes) };
        }
      }
    };
    const read = async (at: bigint, into: Uint8Array): Promise<void> => {
      this.readBytes += into.length;
      into.set(data.subarray(Number(at), Number(at) + into.length));
    };
    return { sizeBytes: BigInt(this.sizeBytes), changed, read };
  }

  #at(name: string): number {
    const at = this.#chain.findIndex((each) => each.name === name);
    if (at < 0) throw new Error(`no snapshot ${name}`);
    return at;
  }
}

export interface ModelSink extends BlockSink {
  readonly bytes: Uint8Array;
  readonly writtenBytes: number;
}

/** What tests restore to. */
export function modelSink(bytes: Uint8Array): ModelSink {
  let writtenBytes = 0;
  return {
    bytes,
    get writtenBytes() {
      return writtenBytes;
    },
    sizeBytes: BigInt(bytes.length),
    write: async (at, pieces) => {
      const data = Buffer.concat(pieces);
      writtenBytes += data.length;
      bytes.set(data, Number(at));
    },
    zero: async (at, lengthBytes) => {
      writtenBytes += lengthBytes;
      bytes.fill(0, Number(at), Number(at) + lengthBytes);
    },
    flush: async () => {},
  };
}
