import { readOnlyStore } from '@lateen/object-store';
import { describe, expect, it } from 'vitest';
import { faultyObjectStore } from './faulty-object-store.ts';
import { memoryObjectStore } from './memory-object-store.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('readOnlyStore', () => {
  it('rejects all changes of the bucket, names the location, and sends nothing', async () => {
    const inner = faultyObjectStore(memoryObjectStore({ objects: { k: 'v' } }));
    const store = readOnlyStore(inner, 'archive');
    let begun = false;
    const source = async function* () {
      begun = true;
      yield bytes('v');
    };
    for (const call of [store.put('k', bytes('v')), store.write('k', source()), store.delete('k')]) {
      await expect(call).rejects.toMatchObject({
        code: 'LOCATION_READ_ONLY',
        retry: 'never',
        message: expect.stringMatching(/object "k" is not .*: BackupStorageLocation "archive" is read-only/),
        nextStep: expect.stringContaining('accessMode'),
      });
    }
    expect([inner.calls, begun]).toEqual([[], false]);
  });

  it('passes reads', async () => {
    const inner = memoryObjectStore({ objects: { 'd/k': 'v' } });
    const store = readOnlyStore(inner, 'archive');
    expect(await store.get('d/k')).toEqual(bytes('v'));
    expect(await store.exists('d/k')).toBe(true);
    expect(await store.listCommonPrefixes('')).toEqual(['d']);
    expect(await Array.fromAsync(store.list(''))).toMatchObject([{ key: 'd/k', sizeBytes: 1 }]);
    expect(await Array.fromAsync(store.read('d/k'))).toEqual([bytes('v')]);
    expect(await store.signedUrl('d/k', { ttlMs: 5 })).toContain('ttlMs=5');
    await store.close();
    expect(inner.closed).toBe(true);
  });
});
