import type { AppError } from '@lateen/errors';
import { expect, it } from 'vitest';
import { joined, pattern, slices, some } from './bytes.ts';
import type { ObjectStoreUnderTest } from './object-store-under-test.ts';
import { summaries } from './stored.ts';

export function streamTests(under: () => ObjectStoreUnderTest): void {
  it.each<[string, (whole: Uint8Array) => Uint8Array[]]>([
    ['in one piece', (whole) => [whole]],
    [
      'with empty chunks in between',
      (whole) => [new Uint8Array(), whole.subarray(0, 7), new Uint8Array(), whole.subarray(7)],
    ],
    ['in pieces of an odd size', (whole) => slices(whole, 100_003)],
  ])('writes and reads %s', async (_, cutUp) => {
    const { store, severalPartsBytes } = under();
    for (const size of [0, 1, 1_000, severalPartsBytes + 1]) {
      const whole = pattern(size);
      await store.write('streams/k', some(cutUp(whole)));
      expect(Buffer.compare(await joined(store.read('streams/k')), whole), `${size} bytes`).toBe(0);
      expect(await summaries(store, 'streams/k')).toEqual([`streams/k ${size}`]);
    }
    expect(await under().leftovers()).toEqual([]);
  });

  it('end a transfer whose loop is left, and the next transfer works', async () => {
    const { store, severalPartsBytes } = under();
    await store.put('streams/left', pattern(severalPartsBytes));
    for (let round = 0; round < 40; round++) {
      for await (const piece of store.read('streams/left')) {
        expect(piece.length).toBeGreaterThan(0);
        break;
      }
    }
    expect((await store.get('streams/left')).length).toBe(severalPartsBytes);
  });

  it('show a reader one version, and one of two parallel writers wins completely', async () => {
    const { store, severalPartsBytes } = under();
    const [a, b] = [pattern(severalPartsBytes), pattern(severalPartsBytes).fill(7)];
    await store.write('streams/race', some([a]));
    const seen = await Promise.all([
      joined(store.read('streams/race')).catch((error: AppError) => error.code),
      store.write('streams/race', some(slices(b, 100_000))),
      store.write('streams/race', some(slices(a, 100_000))),
    ]);
    const isOne = (body: Uint8Array) => Buffer.compare(body, a) === 0 || Buffer.compare(body, b) === 0;
    // A reader may fail because of the replacement, but never sees a mixture.
    if (typeof seen[0] !== 'string') expect(isOne(seen[0])).toBe(true);
    else expect(['OBJECT_STORE_UNAVAILABLE', 'OBJECT_NOT_FOUND']).toContain(seen[0]);
    expect(isOne(await store.get('streams/race'))).toBe(true);
    expect(await under().leftovers()).toEqual([]);
  });
}
