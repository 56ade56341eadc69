import { expect, it } from 'vitest';
import { bytes, pattern, slices, textOf } from './bytes.ts';
import type { ObjectStoreUnderTest } from './object-store-under-test.ts';
import { keysOf } from './stored.ts';

export function abandonedWriteTests(under: () => ObjectStoreUnderTest): void {
  it('are ended by their key, and those of no other key', async () => {
    const { store, keepsUnfinished, leftovers } = under();
    await store.put('abandoned/a', bytes('old'));
    const writes = ['abandoned/a', 'abandoned/ab', 'abandoned/b'].map((key) => halfWritten(under(), key));
    await Promise.all(writes.map(({ isHalf }) => isHalf));
    expect(await store.endAbandonedWrites('abandoned/a')).toBe(keepsUnfinished ? 1 : 0);
    expect(await store.endAbandonedWrites('abandoned/a')).toBe(0);
    expect(textOf(await store.get('abandoned/a'))).toBe('old');
    for (const { goOn } of writes) goOn();
    const [ended, ...others] = await Promise.allSettled(writes.map(({ written }) => written));
    // Nobody writes what is ended; should somebody, the object stays as it was.
    expect(ended?.status).toBe(keepsUnfinished ? 'rejected' : 'fulfilled');
    if (keepsUnfinished) expect(textOf(await store.get('abandoned/a'))).toBe('old');
    expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await keysOf(store, 'abandoned/')).toEqual(['abandoned/a', 'abandoned/ab', 'abandoned/b']);
    expect(await leftovers()).toEqual([]);
    for (const key of await keysOf(store, 'abandoned/')) await store.delete(key);
  });

  it('may be several of one key, or none', async () => {
    const { store, keepsUnfinished, leftovers } = under();
    expect(await store.endAbandonedWrites('abandoned/none')).toBe(0);
    const writes = ['abandoned/twice', 'abandoned/twice'].map((key) => halfWritten(under(), key));
    await Promise.all(writes.map(({ isHalf }) => isHalf));
    expect(await store.endAbandonedWrites('abandoned/twice')).toBe(keepsUnfinished ? 2 : 0);
    for (const { goOn } of writes) goOn();
    await Promise.allSettled(writes.map(({ written }) => written));
    expect(await leftovers()).toEqual([]);
    await store.delete('abandoned/twice');
  });
}

/** A write that has sent several parts, and goes on when it is told. */
function halfWritten({ store, severalPartsBytes }: ObjectStoreUnderTest, key: string) {
  const half = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  async function* source() {
    yield* slices(pattern(severalPartsBytes), 100_000);
    half.resolve();
    await gate.promise;
    yield bytes('the end');
  }
  const written = store.write(key, source());
  // Looked at when all have ended.
  written.catch(() => half.resolve());
  return { written, isHalf: half.promise, goOn: () => gate.resolve() };
}
