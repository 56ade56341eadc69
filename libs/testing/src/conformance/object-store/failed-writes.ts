import { AppError } from '@lateen/errors';
import { expect, it } from 'vitest';
import { bytes, pattern, slices, textOf } from './bytes.ts';
import type { ObjectStoreUnderTest } from './object-store-under-test.ts';
import { keysOf } from './stored.ts';

export function failedWriteTests(under: () => ObjectStoreUnderTest): void {
  it.each<[string, (several: number) => number]>([
    ['at once', () => 0],
    ['early', () => 10],
    ['after several parts', (several) => several],
  ])('whose source fails %s keep the existing object', async (_, failAfter) => {
    const { store, severalPartsBytes, leftovers } = under();
    await store.put('failed/old', bytes('old'));
    const reason = new AppError('SOURCE_FAILED', 'the source failed');
    const source = async function* () {
      yield* slices(pattern(failAfter(severalPartsBytes)), 100_000);
      throw reason;
    };
    for (const key of ['failed/old', 'failed/new']) {
      await expect(store.write(key, source())).rejects.toBe(reason);
    }
    expect(textOf(await store.get('failed/old'))).toBe('old');
    expect(await keysOf(store, 'failed/')).toEqual(['failed/old']);
    expect(await leftovers()).toEqual([]);
  });
}
