import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { silentLogger } from '@lateen/kernel';
import { FakeClock, faultyObjectStore, memoryObjectStore, type ScriptedFault, seededRandom } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packReader } from '../open-pack-reader.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const never = new AbortController().signal;
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lateen-packs-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

function aPack(bytes: number): Buffer {
  const pack = Buffer.alloc(bytes);
  for (let at = 0; at + 4 <= bytes; at += 4) pack.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
  return pack;
}

function aReader(
  packs: Record<string, Buffer>,
  { cacheBytes = 64 * MiB, memoryBytes = 8 * MiB, script = [] as ScriptedFault[] } = {},
) {
  const clock = Object.assign(new FakeClock(), { sleep: async () => {} });
  const memory = memoryObjectStore({ objects: packs });
  const store = faultyObjectStore(memory, script, clock);
  const cache = cacheBytes === 0 ? undefined : { directory: join(root, 'packs'), bytesMax: cacheBytes };
  const random = seededRandom(1);
  const log = silentLogger;
  const reader = packReader({ store, keyOf: (packId) => packId, clock, log, random, memoryBytes, cache });
  const one = async (packId: string, offset: number, length = 100) => {
    const got = await reader.readOne({ packId, offset, length }, never);
    expect(Buffer.compare(got, packs[packId]?.subarray(offset, offset + length) ?? Buffer.alloc(0))).toBe(0);
  };
  /** Every `step`th slice of 4 KiB from `first` on. */
  const window = async (packId: string, first: number, step: number, count: number) => {
    const slices = Array.from({ length: count }, (_, at) => ({
      packId,
      offset: (first + at * step) * 4 * KiB,
      length: 4 * KiB,
    }));
    await reader.readAll(
      slices,
      async (fetched) => {
        for (const { offset, length } of fetched.slices) {
          const got = fetched.bytes.subarray(offset - fetched.offset, offset - fetched.offset + length);
          expect(Buffer.compare(got, packs[packId]?.subarray(offset, offset + length) ?? Buffer.alloc(0))).toBe(0);
        }
      },
      never,
    );
  };
  return { reader, store, memory, one, window };
}

describe('readOne', () => {
  it.each([
    ['on disk', 64 * MiB],
    ['in memory', 0],
  ])('fetches a whole pack that is read repeatedly, and then has its neighbours %s', async (_, cacheBytes) => {
    const { reader, one } = aReader({ q: aPack(MiB) }, { cacheBytes });
    for (let at = 0; at < 50; at++) await one('q', at * 20_000);
    // Two slices, then the whole pack.
    expect(reader.figures).toMatchObject({ requests: 3, cachedBytes: 4_800, usedBytes: 5_000 });
    await reader.close();
    expect(await readdir(root)).toEqual([]);
  });

  it('fetches it once for many concurrent readers', async () => {
    const { reader, one } = aReader({ q: aPack(MiB) });
    await one('q', 0);
    await one('q', 500);
    await Promise.all(Array.from({ length: 50 }, (_, at) => one('q', at * 20_000)));
    expect(reader.figures.requests).toBe(3);
  });

  it('continues with single slices of a pack that cannot be held, and does not fetch it twice', async () => {
    const { reader, one } = aReader({ q: aPack(3 * MiB) }, { cacheBytes: 2 * MiB, memoryBytes: 4 * MiB });
    for (let at = 0; at < 10; at++) await one('q', at * 20_000);
    // Ten slices, and one attempt each to store it on disk and in memory.
    expect(reader.figures.requests).toBe(12);
    expect(reader.figures.cachedBytes).toBe(0);
  });

  it('reports the error of a pack that cannot be fetched', async () => {
    const gone = new AppError('OBJECT_NOT_FOUND', 'gone');
    const { one } = aReader({ q: aPack(MiB) }, { script: [{ on: 'read', after: 2, fault: { fail: gone } }] });
    await one('q', 0);
    await one('q', 500);
    await expect(one('q', 1_000)).rejects.toBe(gone);
  });

  it('continues when the first reader aborts', async () => {
    const { reader, one, store } = aReader({ q: aPack(MiB) });
    await one('q', 0);
    await one('q', 500);
    const stop = new AbortController();
    const first = reader.readOne({ packId: 'q', offset: 0, length: 10 }, stop.signal);
    const second = one('q', 20_000);
    stop.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    await second;
    expect(store.calls.filter(({ operation }) => operation === 'read')).toHaveLength(3);
  });

  it('reads from the store again when the disk returns other bytes than written', async () => {
    const { reader, one } = aReader({ q: aPack(MiB) });
    for (let at = 0; at < 4; at++) await one('q', at * 20_000);
    for (const name of await readdir(join(root, 'packs'))) {
      await writeFile(join(root, 'packs', name), new Uint8Array(MiB));
    }
    await one('q', 40);
    await one('q', 500_000);
    expect(reader.figures.cachedBytes).toBe(400);
  });
});

describe('readAll', () => {
  it('fetches a whole pack whose slices each window needs again, and has it on disk for later windows', async () => {
    const { reader, window } = aReader({ p: aPack(2 * MiB) });
    for (let first = 0; first < 10; first++) await window('p', first, 40, 12);
    const { requests, cachedBytes } = reader.figures;
    // All of eight windows, except what the first of them read before the pattern was known.
    expect(cachedBytes).toBeGreaterThanOrEqual((8 * 12 - 1) * 4 * KiB);
    await window('p', 11, 40, 12);
    expect(reader.figures.requests).toBe(requests);
  });

  it('stores nothing of a pack that the windows read sequentially', async () => {
    const { reader, window } = aReader({ p: aPack(2 * MiB) });
    for (let first = 0; first < 10; first++) await window('p', first * 50, 1, 50);
    expect(reader.figures).toMatchObject({ requests: 10, fetchedBytes: 500 * 4 * KiB, cachedBytes: 0 });
  });

  it('survives the loss of the cache between windows', async () => {
    const { reader, window } = aReader({ p: aPack(2 * MiB) });
    for (let first = 0; first < 5; first++) await window('p', first, 40, 12);
    expect(reader.figures.cachedBytes).toBeGreaterThan(0);
    await rm(join(root, 'packs'), { recursive: true });
    for (let first = 5; first < 10; first++) await window('p', first, 40, 12);
    await reader.close();
  });
});
