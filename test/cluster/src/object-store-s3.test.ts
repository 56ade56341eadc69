import { type S3Store, s3Store } from '@lateen/object-store-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type S3Server, startS3Server } from './repository/s3-server.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (body: Uint8Array) => new TextDecoder().decode(body);
const oddKeys = [
  'plain',
  'with space/a b',
  'plus+sign',
  'per%cent',
  'ünï/cödé',
  "quote'(*)!",
  'amp&<lt>',
  'a=b?c#d',
  'x//y',
];

let server: S3Server;
let store: S3Store;

beforeAll(async () => {
  server = await startS3Server();
  await server.makeBucket('bucket');
  store = s3Store(server.location({ bucket: 'bucket' }));
}, 900_000);

afterAll(async () => {
  await store.close();
  await server[Symbol.asyncDispose]();
});

describe('s3Store on a real S3 server', () => {
  it.each(oddKeys.filter((key) => !key.includes('//')))('gives back what was put under %j', async (key) => {
    const at = `odd/${key}`;
    expect(await store.exists(at)).toBe(false);
    await store.put(at, bytes(`of ${key}`));
    expect(await store.exists(at)).toBe(true);
    expect(text(await store.get(at))).toBe(`of ${key}`);
    await store.put(at, bytes('replaced'));
    expect(text(await store.get(at))).toBe('replaced');
    const listed: string[] = [];
    for await (const { key: found, sizeBytes } of store.list(at)) listed.push(`${found} ${sizeBytes}`);
    expect(listed).toEqual([`${at} 8`]);
    await store.delete(at);
    await store.delete(at);
    expect(await store.exists(at)).toBe(false);
  });

  it('keeps empty and large objects', async () => {
    await store.put('sizes/empty', new Uint8Array());
    expect(await store.get('sizes/empty')).toHaveLength(0);
    const large = new Uint8Array(9_000_000).map((_, index) => index % 251);
    await store.put('sizes/large', large);
    expect(Buffer.compare(await store.get('sizes/large'), large)).toBe(0);
  });

  it('lists more than one page, in key order, and first-level directories', async () => {
    const names = Array.from({ length: 1_203 }, (_, index) => `many/d${index % 3}/k${String(index).padStart(5, '0')}`);
    for (let at = 0; at < names.length; at += 50) {
      await Promise.all(names.slice(at, at + 50).map((name) => store.put(name, bytes('x'))));
    }
    const found: string[] = [];
    for await (const { key } of store.list('many/')) found.push(key);
    expect(found).toEqual(names.toSorted());
    expect(await store.listCommonPrefixes('many/')).toEqual(['d0', 'd1', 'd2']);
    expect(await store.listCommonPrefixes('none/')).toEqual([]);
  });

  it('names what is not there', async () => {
    await expect(store.get('missing')).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
    const other = s3Store(server.location({ bucket: 'no-bucket' }));
    await expect(other.listCommonPrefixes('')).rejects.toMatchObject({ code: 'BUCKET_NOT_FOUND' });
    await other.close();
  });

  it('ends with the reason of an abort', async () => {
    const reason = new Error('enough');
    await expect(store.get('x', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
