import { expect, it } from 'vitest';
import { bytes, joined, pattern, slices, some, textOf } from './bytes.ts';
import type { ObjectStoreUnderTest } from './object-store-under-test.ts';
import { keysOf } from './stored.ts';

export function abortTests(under: () => ObjectStoreUnderTest): void {
  const reason = new Error('enough');

  it('end each call before it begins, with the reason', async () => {
    const { store } = under();
    const options = { signal: AbortSignal.abort(reason) };
    const calls: Promise<unknown>[] = [
      store.listCommonPrefixes('', options),
      keysOf(store, '', options),
      store.exists('k', options),
      store.get('k', options),
      store.put('aborted/k', bytes('v'), options),
      joined(store.read('k', options)),
      joined(store.read('k', { ...options, range: { offset: 1, length: 1 } })),
      store.write('aborted/k', some([bytes('v')]), options),
      store.endAbandonedWrites('k', options),
      store.delete('k', options),
      store.signedUrl('k', { ...options, ttlMs: 60_000 }),
    ];
    for (const call of await Promise.allSettled(calls)) expect(call).toMatchObject({ status: 'rejected', reason });
    expect(await keysOf(store, 'aborted/')).toEqual([]);
  });

  it.each<[string, (several: number) => number]>([
    ['early', () => 10],
    ['after several parts', (several) => several],
  ])('end a write %s, keep the object, and close its source', async (_, abortAfter) => {
    const { store, severalPartsBytes, leftovers } = under();
    await store.put('aborted/old', bytes('old'));
    const stop = new AbortController();
    let ended = false;
    const source = async function* () {
      try {
        yield* slices(pattern(abortAfter(severalPartsBytes)), 100_000);
        stop.abort(reason);
        for (;;) yield bytes('more');
      } finally {
        ended = true;
      }
    };
    await expect(store.write('aborted/old', source(), { signal: stop.signal })).rejects.toBe(reason);
    expect(ended).toBe(true);
    expect(textOf(await store.get('aborted/old'))).toBe('old');
    expect(await leftovers()).toEqual([]);
    await store.delete('aborted/old');
  });

  it('end a read in the middle', async () => {
    const { store, severalPartsBytes } = under();
    await store.put('aborted/read', pattern(severalPartsBytes));
    const stop = new AbortController();
    const reading = (async () => {
      for await (const _ of store.read('aborted/read', { signal: stop.signal })) stop.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
    await store.delete('aborted/read');
  });
}
