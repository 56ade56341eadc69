import { describe, expect, it } from 'vitest';
import { describeObjectStore } from '../conformance/describe-object-store.ts';
import { memoryObjectStore } from './memory-object-store.ts';

describeObjectStore('in memory', async () => {
  const store = memoryObjectStore();
  return {
    store,
    missing: memoryObjectStore({ bucketExists: false }),
    fetchSigned: async (url) => {
      const body = store.objects.get(decodeURIComponent(new URL(url).pathname.slice(1)));
      return { status: body === undefined ? 404 : 200, body: body ?? new Uint8Array() };
    },
    leftovers: async () => store.unfinishedWrites(),
    keepsUnfinished: true,
    severalPartsBytes: 300_000,
    close: () => store.close(),
  };
});

describe('memoryObjectStore', () => {
  it('starts with the given objects, and shows its content', async () => {
    const store = memoryObjectStore({ objects: { 'a/b': 'text' } });
    expect(store.text('a/b')).toBe('text');
    expect(() => store.text('c')).toThrow('no object c; there are: a/b');
    await store.close();
    expect(store.closed).toBe(true);
    await expect(store.get('a/b')).rejects.toThrow('was closed');
  });
});
