import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StatusLink } from '@lateen/block-engine';
import type { ReplicaStore } from '@lateen/replica-store';
import { seededRandom } from '@lateen/testing';
import { expect } from 'vitest';
import type { ReplicaRig } from './replica-rig.ts';

const o = { signal: new AbortController().signal };
const KiB = 1024;
const MiB = 1024 * KiB;

/** A replica on real files, and the expected content of its volume and of each snapshot. Only flushed writes count. */
export class ReplicaWorld {
  readonly #rig: ReplicaRig;
  readonly #random: ReturnType<typeof seededRandom>;
  readonly #kept = new Map<string, Buffer>();
  store: ReplicaStore;
  #head = Buffer.alloc(32 * MiB);
  #link: StatusLink | undefined;
  #generation = 0;
  #names = 0;

  constructor(rig: ReplicaRig, seed: number) {
    this.#rig = rig;
    this.#random = seededRandom(seed);
    this.store = rig.newStore();
  }

  async start(): Promise<void> {
    await this.store.create({ sizeBytes: BigInt(this.#head.length), state: 'new', mayCreate: true }, o);
    await this.store.open(o);
    await this.serve();
  }

  async serve(): Promise<void> {
    const generation = ++this.#generation;
    await this.store.promise({ generation, engine: 'e' }, o);
    await this.store.serve({ generation, name: `head.${generation}` }, o);
    this.#link = await this.#rig.link(`head.${generation}`);
  }

  number(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }

  pick(): string {
    return [...this.#kept.keys()][this.number(this.#kept.size)] ?? '';
  }

  get snapshots(): readonly string[] {
    return [...this.#kept.keys()];
  }

  get sizeBytes(): bigint {
    return BigInt(this.#head.length);
  }

  /** Writes data and zeros of random sizes from 512 bytes to 256 KiB, and flushes. `also` gets the same writes. */
  async write(
    count = 10,
    { also, wholeUnits = false }: { also?: StatusLink; wholeUnits?: boolean } = {},
  ): Promise<void> {
    for (let done = 0; done < count; done++) {
      const unit = this.number(3) === 0 && !wholeUnits ? 512 : 4 * KiB;
      const length = unit * (1 + this.number(64));
      const at = unit * this.number((this.#head.length - length) / unit);
      const value = this.number(4) === 0 ? 0 : 1 + this.number(255);
      for (const link of [this.#link, also]) {
        if (value === 0) await link?.zero(BigInt(at), length, { unmap: true });
        else await link?.write(BigInt(at), [Buffer.alloc(length, value)]);
      }
      this.#head.fill(value, at, at + length);
    }
    await this.#link?.flush();
  }

  /** Takes a snapshot. After an error it may have been taken or not. */
  async snapshot(): Promise<void> {
    const name = `s${this.#names++}`;
    const content = Buffer.from(this.#head);
    const wanted = { name, createdAt: '2030-01-01T00:00:00Z', userCreated: true, labels: {} };
    try {
      await this.store.prepareSnapshot(wanted, o);
      await this.store.snapshot(wanted, o);
    } finally {
      this.#kept.set(name, content);
    }
  }

  async remove(name: string): Promise<void> {
    this.#kept.delete(name);
    await this.store.markRemoved(name, o);
  }

  async revert(name: string): Promise<void> {
    await this.store.revert(name, o);
    const content = Buffer.from(this.#kept.get(name) ?? []);
    this.#head = Buffer.concat([content, Buffer.alloc(this.#head.length - content.length)]);
    await this.serve();
  }

  async grow(): Promise<void> {
    const length = this.#head.length + 2 * MiB;
    await this.store.grow(BigInt(length), o);
    this.#head = Buffer.concat([this.#head, Buffer.alloc(length - this.#head.length)]);
    await this.serve();
  }

  /** Starts a new daemon and a new store after a kill. Snapshots whose call failed may exist or not. */
  async recover(): Promise<void> {
    await this.#rig.startDaemon();
    await this.takeOver();
  }

  /** A new store on the running daemon. */
  async takeOver(): Promise<void> {
    this.store = this.#rig.newStore();
    const { layers } = await this.store.open(o);
    const names = new Set(layers.map((layer) => layer.snapshot?.name));
    for (const name of this.#kept.keys()) if (!names.has(name)) this.#kept.delete(name);
    await this.serve();
  }

  /** Compares the volume and every snapshot byte for byte, read through exports as an engine and a backup read them. */
  async check(): Promise<void> {
    expect(await contentOf(this.#link), 'the volume').toSatisfy((bytes: Buffer) => bytes.equals(this.#head));
    for (const [snapshot, content] of this.#kept) {
      const exportName = `check.${snapshot}`;
      const reader = await this.store.openReader({ snapshot, view: 'chain', exportName }, o);
      await using link = await this.#rig.link(exportName);
      expect(await contentOf(link), snapshot).toSatisfy((bytes: Buffer) => bytes.equals(content));
      await reader.close(o);
    }
  }

  /**
   * Checks the files after a close in order: only those of the record exist, and each is consistent and has the recorded length and name.
   */
  async checkFiles(): Promise<void> {
    await this.store.close(o);
    const { record } = await this.store.inspect(o);
    const files = record.layers.map(({ file }) => file);
    expect((await readdir(this.#rig.directory)).sort()).toEqual([...files, 'replica.json'].sort());
    for (const { file, fileBytesMin } of record.layers) {
      expect((await stat(join(this.#rig.directory, file))).size, file).toBe(fileBytesMin);
      expect(await this.#rig.images.check(join(this.#rig.directory, file))).toMatchObject({ sound: true });
    }
    expect(record).toMatchObject({ pending: [], servedIn: 0 });
  }
}

export async function contentOf(link: StatusLink | undefined): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const size = Number(link?.sizeBytes ?? 0);
  for (let at = 0; at < size; at += 2 * MiB) {
    pieces.push(...((await link?.read(BigInt(at), Math.min(2 * MiB, size - at))) ?? []));
  }
  return Buffer.concat(pieces);
}
