import { AppError } from '@lateen/errors';
import { silentLogger } from '@lateen/kernel';
import { FakeClock, faultyObjectStore, memoryObjectStore, type ScriptedFault, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type PackReaderOptions, packReader } from './open-pack-reader.ts';
import type { PackSlice } from './pack-reader.ts';

const never = new AbortController().signal;
const cut = new AppError('OBJECT_STORE_UNAVAILABLE', 'cut', { retry: 'soon' });

/** Bytes that identify their own position. */
function pack(size: number, salt: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8) * 7 + salt) & 0xff);
}

function aReader(sizes: Record<string, number>, script: ScriptedFault[] = [], more: Partial<PackReaderOptions> = {}) {
  const packs = Object.fromEntries(
    Object.entries(sizes).map(([packId, size], at) => [packId, pack(size, at)] as const),
  );
  const objects = Object.fromEntries(Object.entries(packs).map(([packId, body]) => [`repo/${packId}`, body]));
  const clock = Object.assign(new FakeClock(), { sleep: async () => {} });
  const store = faultyObjectStore(memoryObjectStore({ objects }), script, clock);
  const reader = packReader({
    store,
    keyOf: (packId) => `repo/${packId}`,
    clock,
    log: silentLogger,
    random: seededRandom(1),
    memoryBytes: 1024 * 1024,
    ...more,
  });
  const given: PackSlice[] = [];
  const check = (bytes: Uint8Array, base: number, slices: readonly PackSlice[]) => {
    for (const slice of slices) {
      given.push(slice);
      const { packId, offset, length } = slice;
      const got = bytes.subarray(offset - base, offset - base + length);
      const wanted = packs[packId]?.subarray(offset, offset + length) ?? [];
      expect(Buffer.compare(got, Buffer.from(wanted)), `${packId} ${offset}+${length}`).toBe(0);
    }
  };
  return { reader, store, given, check, packs };
}

const everyBytes = (packId: string, size: number, length: number): PackSlice[] =>
  Array.from({ length: Math.ceil(size / length) }, (_, at) => ({
    packId,
    offset: at * length,
    length: Math.min(length, size - at * length),
  }));

describe('readAll', () => {
  it('delivers each slice once, with its own bytes, with few requests', async () => {
    const { reader, given, check } = aReader({ p1: 300_000, p2: 50_000 });
    const slices = [...everyBytes('p1', 300_000, 1_000), ...everyBytes('p2', 50_000, 100)];
    await reader.readAll(slices, async ({ bytes, offset, slices }) => check(bytes, offset, slices), never);
    expect(new Set(given).size).toBe(slices.length);
    expect(given).toHaveLength(slices.length);
    expect(reader.figures).toMatchObject({ requests: 5, fetchedBytes: 350_000, usedBytes: 350_000 });
  });

  it('delivers the beginning of a range while its end is still arriving', async () => {
    const size = 3_000 * 20;
    const { reader } = aReader({ p: size }, [], { memoryBytes: 8 * 1024 * 1024 });
    const counts: number[] = [];
    const slices = everyBytes('p', size, 20);
    await reader.readAll(slices, async ({ slices }) => void counts.push(slices.length), never);
    expect([counts, reader.figures.requests]).toEqual([[1_024, 1_024, 952], 1]);
  });

  it('resumes where a request was cut off', async () => {
    const size = 500_000;
    const { reader, given, check } = aReader(
      { p: size },
      [{ on: 'read', times: 3, fault: { cutAfter: 150_000, error: cut } }],
      { memoryBytes: 8 * 1024 * 1024 },
    );
    const slices = everyBytes('p', size, 5_000);
    await reader.readAll(slices, async ({ bytes, offset, slices }) => check(bytes, offset, slices), never);
    expect(given).toHaveLength(slices.length);
    // Two chunks of 64 KiB from each of three attempts, and the rest.
    expect(reader.figures).toMatchObject({ requests: 4, fetchedBytes: size });
  });

  it('gives up when the store sends nothing, and on errors that a retry cannot help', async () => {
    const rows: [ScriptedFault['fault'], number, string][] = [
      [{ fail: cut }, 8, 'OBJECT_STORE_UNAVAILABLE'],
      [{ fail: new AppError('OBJECT_NOT_FOUND', 'gone') }, 1, 'OBJECT_NOT_FOUND'],
      [
        { fail: new AppError('OBJECT_STORE_BAD_ANSWER', 'other bytes', { retry: 'later' }) },
        1,
        'OBJECT_STORE_BAD_ANSWER',
      ],
    ];
    for (const [fault, requests, code] of rows) {
      const { reader } = aReader({ p: 1_000 }, [{ on: 'read', fault }]);
      const reading = reader.readAll(everyBytes('p', 1_000, 100), async () => {}, never);
      await expect(reading).rejects.toMatchObject({ code });
      expect(reader.figures.requests).toBe(requests);
    }
  });

  it('names a pack that is shorter than its index says, and delivers none of the missing bytes', async () => {
    const { reader, given, check } = aReader({ p: 1_000 });
    const reading = reader.readAll(
      [{ packId: 'p', offset: 900, length: 101 }],
      async ({ bytes, offset, slices }) => check(bytes, offset, slices),
      never,
    );
    await expect(reading).rejects.toMatchObject({ code: 'PACK_CUT', message: expect.stringContaining('pack p ') });
    expect(given).toEqual([]);
    const one = reader.readOne({ packId: 'p', offset: 999, length: 2 }, never);
    await expect(one).rejects.toMatchObject({ code: 'PACK_CUT' });
  });

  it('delivers empty slices, too', async () => {
    const { reader } = aReader({ p: 10 });
    const counts: number[] = [];
    const slices = [0, 10].map((offset) => ({ packId: 'p', offset, length: 0 }));
    await reader.readAll(slices, async ({ slices }) => void counts.push(slices.length), never);
    expect(counts).toEqual([2]);
    expect(await reader.readOne({ packId: 'p', offset: 3, length: 0 }, never)).toEqual(new Uint8Array());
  });

  it('ends with the first error of a consumer, when all others have settled', async () => {
    const { reader } = aReader({ p: 900_000 });
    const gate = Promise.withResolvers<void>();
    let [running, begun] = [0, 0];
    const failed = new Error('disk full');
    const reading = reader.readAll(
      everyBytes('p', 900_000, 100_000),
      async () => {
        begun++;
        if (begun === 2) throw failed;
        running++;
        await gate.promise;
        running--;
      },
      never,
    );
    const settled = settledYet(reading);
    for (let turn = 0; turn < 20; turn++) await new Promise((next) => setImmediate(next));
    expect([running > 0, settled()]).toEqual([true, false]);
    gate.resolve();
    await expect(reading).rejects.toBe(failed);
    expect(running).toBe(0);
  });

  it('ends with the reason of an abort, even while the store hangs', async () => {
    const { reader } = aReader({ p: 1_000 }, [{ on: 'read', fault: { hang: true } }]);
    const stop = new AbortController();
    const reading = reader.readAll(everyBytes('p', 1_000, 100), async () => {}, stop.signal);
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(reading).rejects.toBe(reason);
    await expect(reader.readAll(everyBytes('p', 1_000, 100), async () => {}, stop.signal)).rejects.toBe(reason);
  });

  it('waits for its consumers when memory is full, and never exceeds its limit', async () => {
    const size = 2_000_000;
    const memoryBytes = 200_000;
    const { reader, given, check } = aReader({ p: size }, [], { memoryBytes });
    let [held, most] = [0, 0];
    const random = seededRandom(3);
    await reader.readAll(
      everyBytes('p', size, 10_000),
      async ({ bytes, offset, slices }) => {
        held += bytes.length;
        most = Math.max(most, held);
        for (let turn = 0; turn < random.next() * 5; turn++) await new Promise((next) => setImmediate(next));
        check(bytes, offset, slices);
        held -= bytes.length;
      },
      never,
    );
    expect(given).toHaveLength(size / 10_000);
    expect(most).toBeLessThanOrEqual(memoryBytes);
  });

  it('delivers each slice once with its own bytes, in any order, from a store that fails often', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const random = seededRandom(seed);
      const pick = (count: number) => Math.floor(random.next() * count);
      const sizes = { a: 1 + pick(400_000), b: 1 + pick(5_000), c: 1 + pick(100_000) };
      const script = Array.from(
        { length: 10 },
        (): ScriptedFault => ({
          on: 'read',
          after: pick(30),
          times: 1,
          fault: pick(2) === 0 ? { fail: cut } : { cutAfter: pick(100_000), error: cut },
        }),
      );
      const { reader, given, check } = aReader(sizes, script, { memoryBytes: 8_000 + pick(300_000) });
      const slices = Array.from({ length: pick(300) }, () => {
        const packId = (['a', 'b', 'c'] as const)[pick(3)] ?? 'a';
        const offset = pick(sizes[packId]);
        return { packId, offset, length: 1 + pick(Math.min(20_000, sizes[packId] - offset)) };
      });
      if (pick(2) === 0) slices.sort((x, y) => x.packId.localeCompare(y.packId) || x.offset - y.offset);
      await reader.readAll(slices, async ({ bytes, offset, slices }) => check(bytes, offset, slices), never);
      expect(given.length, `seed ${seed}`).toBe(slices.length);
      expect(new Set(given), `seed ${seed}`).toEqual(new Set(slices));
    }
  });
});

/** Whether a promise has settled by now. */
function settledYet(promise: Promise<unknown>): () => boolean {
  let settled = false;
  promise.then(
    () => {
      settled = true;
    },
    () => {
      settled = true;
    },
  );
  return () => settled;
}
