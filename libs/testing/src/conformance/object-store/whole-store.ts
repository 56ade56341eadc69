import type { AppError } from '@lateen/errors';
import { expect, it } from 'vitest';
import { seededRandom } from '../../clock/seeded-random.ts';
import { bytes, some, textOf } from './bytes.ts';
import type { ObjectStoreUnderTest } from './object-store-under-test.ts';
import { keysOf } from './stored.ts';

/** A missing bucket, signed URLs, a long mix of calls, closing. */
export function wholeStoreTests(under: () => ObjectStoreUnderTest): void {
  it('reports a missing bucket', async () => {
    const { missing } = under();
    const expected = { code: 'BUCKET_NOT_FOUND' };
    await expect(missing.listCommonPrefixes('')).rejects.toMatchObject(expected);
    await expect(keysOf(missing, '')).rejects.toMatchObject(expected);
    await expect(missing.get('k')).rejects.toMatchObject(expected);
    await expect(missing.put('k', bytes('v'))).rejects.toMatchObject(expected);
    await expect(missing.write('k', some([bytes('v')]))).rejects.toMatchObject(expected);
  });

  it('signs URLs, or reports that it cannot', async () => {
    const { store, fetchSigned } = under();
    const ttlMs = 60_000;
    if (fetchSigned === undefined) {
      await expect(store.signedUrl('k', { ttlMs })).rejects.toMatchObject({
        code: 'SIGNED_URL_UNSUPPORTED',
        nextStep: expect.stringMatching(/./),
      });
      return;
    }
    for (const key of ['signed/plain', 'signed/with space+&?', 'signed/ünï']) {
      await store.put(key, bytes(`of ${key}`));
      const { status, body } = await fetchSigned(await store.signedUrl(key, { ttlMs }));
      expect([status, textOf(body)]).toEqual([200, `of ${key}`]);
    }
    const none = await fetchSigned(await store.signedUrl('signed/none', { ttlMs }));
    expect(none.status).toBe(404);
  });

  it('behaves like a map, for any sequence of calls', async () => {
    const { store } = under();
    const random = seededRandom(20);
    const model = new Map<string, string>();
    const pick = (count: number) => Math.floor(random.next() * count);
    for (let step = 0; step < 80; step++) {
      const key = `map/${'abc'[pick(3)]}/${pick(4)}`;
      const value = `${step}`.repeat(pick(50));
      const action = pick(5);
      if (action === 0) await store.put(key, bytes(value));
      if (action === 1) await store.write(key, some([bytes(value)]));
      if (action <= 1) model.set(key, value);
      if (action === 2) await store.delete(key);
      if (action === 2) model.delete(key);
      if (action === 3) expect(await store.exists(key)).toBe(model.has(key));
      if (action === 4) {
        const got = await store.get(key).then(textOf, (error: AppError) => error.code);
        expect(got).toBe(model.get(key) ?? 'OBJECT_NOT_FOUND');
      }
    }
    expect(await keysOf(store, 'map/')).toEqual([...model.keys()].toSorted());
  });

  it('can be closed twice', async () => {
    const { close } = under().missing;
    await close();
    await close();
  });
}
