import { expect, it } from 'vitest';
import { bytes, joined, pattern, textOf } from './bytes.ts';
import type { ObjectStoreUnderTest } from './object-store-under-test.ts';
import { expectCannotHold, expectRefusesKeys } from './refused-keys.ts';
import { summaries } from './stored.ts';

const oddKeys = [
  'plain',
  'with space/a b',
  'plus+sign',
  'per%cent',
  'per%2Fcent',
  'ünï/cödé',
  'emoji/\u{1f6a2}',
  "quote'(*)!",
  'amp&<lt>',
  'a=b?c#d',
  'dots/.hidden/..not-up/a..b',
  'back\\slash',
  'x'.repeat(200),
];

export function wholeObjectTests(under: () => ObjectStoreUnderTest): void {
  it.each(oddKeys)('are returned as put under %j, replaced and deleted', async (key) => {
    const { store, refusedKeys = [] } = under();
    const at = `odd/${key}`;
    // The test of rejected keys covers this.
    if (refusedKeys.includes(at)) return;
    expect(await store.exists(at)).toBe(false);
    await store.put(at, bytes(`of ${key}`));
    expect(await store.exists(at)).toBe(true);
    expect(textOf(await store.get(at))).toBe(`of ${key}`);
    await store.put(at, bytes('replaced'));
    expect(textOf(await store.get(at))).toBe('replaced');
    expect(await summaries(store, at)).toEqual([`${at} 8`]);
    await store.delete(at);
    await store.delete(at);
    expect(await store.exists(at)).toBe(false);
  });

  it('can be empty and large', async () => {
    const { store, severalPartsBytes } = under();
    await store.put('sizes/empty', new Uint8Array());
    expect(await store.get('sizes/empty')).toHaveLength(0);
    const large = pattern(severalPartsBytes);
    await store.put('sizes/large', large);
    expect(Buffer.compare(await store.get('sizes/large'), large)).toBe(0);
  });

  it('are copied when put, so that later changes of the buffer have no effect', async () => {
    const { store } = under();
    const body = bytes('before');
    await store.put('copies/k', body);
    body.fill(0);
    expect(textOf(await store.get('copies/k'))).toBe('before');
  });

  it('are reported when missing', async () => {
    const { store } = under();
    await expect(store.get('missing/k')).rejects.toMatchObject({
      code: 'OBJECT_NOT_FOUND',
      message: expect.stringContaining('missing/k'),
    });
    await expect(joined(store.read('missing/k'))).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
    await expect(store.delete('missing/k')).resolves.toBeUndefined();
    // A prefix of a key is not an object.
    await store.put('missing/deeper/k', bytes('v'));
    expect(await store.exists('missing/deeper')).toBe(false);
    await expect(store.get('missing/deeper')).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
  });

  it('reject the keys that all stores reject, and those that this store cannot hold', async () => {
    const { store, refusedKeys = [] } = under();
    await expectRefusesKeys(store);
    await expectCannotHold(store, refusedKeys);
  });
}
