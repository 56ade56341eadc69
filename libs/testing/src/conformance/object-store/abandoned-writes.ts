import { expect, it } from 'vitest';
import { bytes, pattern, slices, textOf } from './bytes.ts';
import type { ObjectStoreUnderTest } from './object-store-under-test.ts';
import { keysOf } from './stored.ts';

export function abandonedWriteTests(under: () => ObjectStoreUnderTest): void {
  it('are none without an earlier write, and the object is unchanged', async () => {
    const { store } = under();
    await store.put('abandoned/old', bytes('old'));
    expect(await store.endAbandonedWrites('abandoned/old')).toBe(0);
    expect(await store.endAbandonedWrites('abandoned/none')).toBe(0);
    expect(textOf(await store.get('abandoned/old'))).toBe('old');
    await store.delete('abandoned/old');
  });

  it('are ended by their key, all of them, and none of another key', async () => {
    const { store, keepsUnfinished, leftovers } = under();
    if (!keepsUnfinished) return;
    await store.put('abandoned/a', bytes('old'));
    const writes = ['abandoned/a', 'abandoned/a', 'abandoned/ab', 'abandoned/b'].map((key) =>
      halfWritten(under(), key),
    );
    await Promise.all(writes.map(({ isHalf }) => isHalf));
    expect(await store.endAbandonedWrites('abandoned/a')).toBe(2);
    expect(await store.endAbandonedWrites('abandoned/a')).toBe(0);
    for (const { goOn } of writes) goOn();
    const ended = await Promise.allSettled(writes.map(({ written }) => written));
    // No write continues after this; if one did, the object would stay unchanged.
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
    expect(textOf(await store.get('abandoned/a'))).toBe('old');
    expect(await keysOf(store, 'abandoned/')).toEqual(['abandoned/a', 'abandoned/ab', 'abandoned/b']);
    expect(await leftovers()).toEqual([]);
    for (const key of await keysOf(store, 'abandoned/')) await store.delete(key);
  });
}

/** A write that has sent several parts, and continues when told to. */
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
  // Checked when all have ended.
  written.catch(() => half.resolve());
  return { written, isHalf: half.promise, goOn: () => gate.resolve() };
}
