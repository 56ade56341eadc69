import { systemClock } from '@lateen/kernel';
import { expect, it } from 'vitest';
import { bytes } from './bytes.ts';
import type { ObjectStoreUnderTest } from './object-store-under-test.ts';
import { keysOf } from './stored.ts';

export function listingTests(under: () => ObjectStoreUnderTest): void {
  it('cover several pages, in key order, and list first-level directories', async () => {
    const { store } = under();
    const names = Array.from({ length: 1_203 }, (_, index) => `many/d${index % 3}/k${String(index).padStart(5, '0')}`);
    for (let at = 0; at < names.length; at += 50) {
      await Promise.all(names.slice(at, at + 50).map((key) => store.put(key, bytes('x'))));
    }
    expect(await keysOf(store, 'many/')).toEqual(names.toSorted());
    expect(await store.listCommonPrefixes('many/')).toEqual(['d0', 'd1', 'd2']);
    expect(await store.listCommonPrefixes('none/')).toEqual([]);
  });

  it('treat a prefix as text, not as a directory, and order by the bytes of the keys', async () => {
    const { store } = under();
    const keys = [
      'order/a',
      'order/a-b',
      'order/a.b',
      'order/a0/c',
      'order/ab/c',
      'order/ab/d/e',
      'order/Z',
      'order/ü',
    ];
    for (const key of keys) await store.put(key, bytes('v'));
    const inOrder = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(await keysOf(store, 'order/')).toEqual(inOrder);
    expect(await keysOf(store, 'order/a')).toEqual(inOrder.filter((key) => key.startsWith('order/a')));
    expect(await keysOf(store, 'order/ab/d')).toEqual(['order/ab/d/e']);
    expect(await keysOf(store, 'order/none')).toEqual([]);
    expect(await store.listCommonPrefixes('order/')).toEqual(['a0', 'ab']);
  });

  it('report when an object was last written', async () => {
    const { store } = under();
    const times = async () => (await Array.fromAsync(store.list('times/'))).map(({ modifiedAtMs }) => modifiedAtMs);
    await store.put('times/a', bytes('v'));
    await store.put('times/b', bytes('v'));
    const [a = Number.NaN, b = Number.NaN] = await times();
    // The store has its own clock with its own resolution.
    expect(Math.abs(a - systemClock.now())).toBeLessThan(3_600_000);
    expect(b).toBeGreaterThanOrEqual(a);
    // Some stores have a resolution of one second.
    let again = a;
    for (let tries = 0; tries < 150 && again <= a; tries++) {
      await systemClock.sleep(20);
      await store.put('times/a', bytes('w'));
      const [now = Number.NaN, same] = await times();
      again = now;
      expect(same).toBe(b);
    }
    expect(again).toBeGreaterThan(a);
  });

  it('omit a directory after its last object was deleted', async () => {
    const { store } = under();
    await store.put('gone/a/b/c', bytes('v'));
    await store.delete('gone/a/b/c');
    expect(await store.listCommonPrefixes('gone/')).toEqual([]);
    expect(await keysOf(store, 'gone/')).toEqual([]);
    expect((await store.listCommonPrefixes('')).includes('gone')).toBe(false);
  });

  it('end when the loop is left', async () => {
    const { store } = under();
    await store.put('left/a', bytes('v'));
    await store.put('left/b', bytes('v'));
    const seen: string[] = [];
    for await (const { key } of store.list('left/')) {
      seen.push(key);
      break;
    }
    expect(seen).toEqual(['left/a']);
  });
}
