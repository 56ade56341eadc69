import { expect, it } from 'vitest';
import { joined, pattern } from './bytes.ts';
import type { ObjectStoreUnderTest } from './object-store-under-test.ts';

export function rangeTests(under: () => ObjectStoreUnderTest): void {
  it('return exactly the requested part, at any position', async () => {
    const { store, severalPartsBytes: size } = under();
    const whole = pattern(size);
    await store.put('ranges/k', whole);
    const parts: [offset: number, length: number][] = [
      [0, 1],
      [0, size],
      [1, 1],
      [511, 1_026],
      [size - 1, 1],
      [size - 100_003, 100_003],
      [65_535, size - 65_536],
    ];
    for (const [offset, length] of parts) {
      const part = await joined(store.read('ranges/k', { range: { offset, length } }));
      expect(Buffer.compare(part, whole.subarray(offset, offset + length)), `${length} from ${offset} on`).toBe(0);
    }
    await store.delete('ranges/k');
  });

  it.each<[string, number, number]>([
    ['that begins at the end of the object', 1_000, 1],
    ['that begins after the end', 5_000, 10],
    ['that ends after the end', 990, 11],
    ['that begins with the object and ends after it', 0, 1_001],
  ])('report that the object is too short for a part %s', async (_, offset, length) => {
    const { store } = under();
    await store.put('ranges/short', pattern(1_000));
    const reading = joined(store.read('ranges/short', { range: { offset, length } }));
    await expect(reading).rejects.toMatchObject({ code: 'OBJECT_TOO_SHORT' });
    await store.delete('ranges/short');
  });

  it('report a missing object, and an empty one', async () => {
    const { store, missing } = under();
    const range = { offset: 0, length: 10 };
    await expect(joined(store.read('ranges/none', { range }))).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
    await expect(joined(missing.read('ranges/none', { range }))).rejects.toMatchObject({ code: 'BUCKET_NOT_FOUND' });
    await store.put('ranges/empty', new Uint8Array());
    await expect(joined(store.read('ranges/empty', { range }))).rejects.toMatchObject({ code: 'OBJECT_TOO_SHORT' });
    await store.delete('ranges/empty');
  });

  it('end a read whose loop is left, and the next read works', async () => {
    const { store, severalPartsBytes } = under();
    await store.put('ranges/left', pattern(severalPartsBytes));
    const range = { offset: 1_000, length: severalPartsBytes - 2_000 };
    for (let round = 0; round < 40; round++) {
      for await (const piece of store.read('ranges/left', { range })) {
        expect(piece.length).toBeGreaterThan(0);
        break;
      }
    }
    const last = await joined(store.read('ranges/left', { range: { offset: severalPartsBytes - 5, length: 5 } }));
    expect(last.length).toBe(5);
    await store.delete('ranges/left');
  });

  it('reject an invalid part before anything is sent', async () => {
    const { store } = under();
    for (const [offset, length] of [
      [-1, 1],
      [0, 0],
      [0.5, 1],
      [0, Number.NaN],
      [0, Number.POSITIVE_INFINITY],
    ] as const) {
      await expect(joined(store.read('k', { range: { offset, length } }))).rejects.toThrow(RangeError);
    }
  });
}
