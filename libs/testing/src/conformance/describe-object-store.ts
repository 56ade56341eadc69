import { AppError } from '@lateen/errors';
import type { ObjectStore } from '@lateen/object-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../clock/seeded-random.ts';
import { hookTimeoutMs } from './conformance-subject.ts';

export interface ObjectStoreUnderTest {
  /** On a bucket that exists and is empty. */
  store: ObjectStore;
  /** On a bucket that does not exist. */
  missing: ObjectStore;
  /** GETs a signed URL with nothing but the URL; absent when the store cannot sign. */
  fetchSigned?: (url: string) => Promise<{ status: number; body: Uint8Array }>;
  /** Temporary files, parts, unfinished uploads that the store still holds; [] when all is tidy. */
  leftovers(): Promise<readonly string[]>;
  /** More than `write` holds at once, so that it has to send several parts. */
  severalPartsBytes: number;
  /** Keys of objects that it cannot hold; the suite holds it to refusing them. */
  refusedKeys?: readonly string[];
  close(): Promise<void>;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (body: Uint8Array): string => new TextDecoder().decode(body);
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
/** A real server on a busy machine. */
const testTimeoutMs = 120_000;

/** What every ObjectStore must do; the port's own words are the source (libs/object-store). */
export function describeObjectStore(name: string, make: () => Promise<ObjectStoreUnderTest>): void {
  describe(`ObjectStore: ${name}`, { timeout: testTimeoutMs }, () => {
    let under: ObjectStoreUnderTest;
    let store: ObjectStore;
    beforeAll(async () => {
      under = await make();
      store = under.store;
    }, hookTimeoutMs);
    afterAll(() => under?.close(), hookTimeoutMs);
    const current = () => under;

    describe('objects', () => wholeObjects(current));
    describe('listings', () => listings(current));
    describe('streams', () => streams(current));
    describe('failed writes', () => failedWrites(current));
    describe('aborts', () => aborts(current));

    it('names a bucket that is not there', async () => {
      const { missing } = under;
      const expected = { code: 'BUCKET_NOT_FOUND' };
      await expect(missing.listCommonPrefixes('')).rejects.toMatchObject(expected);
      await expect(keysOf(missing, '')).rejects.toMatchObject(expected);
      await expect(missing.get('k')).rejects.toMatchObject(expected);
      await expect(missing.put('k', bytes('v'))).rejects.toMatchObject(expected);
      await expect(missing.write('k', some([bytes('v')]))).rejects.toMatchObject(expected);
    });

    it('signs URLs, or says that it cannot', async () => {
      const ttlMs = 60_000;
      if (under.fetchSigned === undefined) {
        await expect(store.signedUrl('k', { ttlMs })).rejects.toMatchObject({
          code: 'SIGNED_URL_UNSUPPORTED',
          nextStep: expect.stringMatching(/./),
        });
        return;
      }
      for (const key of ['signed/plain', 'signed/with space+&?', 'signed/ünï']) {
        await store.put(key, bytes(`of ${key}`));
        const { status, body } = await under.fetchSigned(await store.signedUrl(key, { ttlMs }));
        expect([status, textOf(body)]).toEqual([200, `of ${key}`]);
      }
      const none = await under.fetchSigned(await store.signedUrl('signed/none', { ttlMs }));
      expect(none.status).toBe(404);
    });

    it('behaves like a map, whatever comes in whatever order', async () => {
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
      const { close } = under.missing;
      await close();
      await close();
    });
  });
}

function wholeObjects(under: () => ObjectStoreUnderTest): void {
  it.each(oddKeys)('gives back what was put under %j, replaces it and deletes it', async (key) => {
    const { store, refusedKeys = [] } = under();
    const at = `odd/${key}`;
    // Told apart by the test of refused keys.
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

  it('keeps empty and large objects', async () => {
    const { store, severalPartsBytes } = under();
    await store.put('sizes/empty', new Uint8Array());
    expect(await store.get('sizes/empty')).toHaveLength(0);
    const large = pattern(severalPartsBytes);
    await store.put('sizes/large', large);
    expect(Buffer.compare(await store.get('sizes/large'), large)).toBe(0);
  });

  it('takes its own copy of what is put', async () => {
    const { store } = under();
    const body = bytes('before');
    await store.put('copies/k', body);
    body.fill(0);
    expect(textOf(await store.get('copies/k'))).toBe('before');
  });

  it('names an object that is not there', async () => {
    const { store } = under();
    await expect(store.get('missing/k')).rejects.toMatchObject({
      code: 'OBJECT_NOT_FOUND',
      message: expect.stringContaining('missing/k'),
    });
    await expect(joined(store.read('missing/k'))).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
    await expect(store.delete('missing/k')).resolves.toBeUndefined();
    // What is only the beginning of a key is no object.
    await store.put('missing/deeper/k', bytes('v'));
    expect(await store.exists('missing/deeper')).toBe(false);
    await expect(store.get('missing/deeper')).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
  });

  it('refuses the keys that it cannot hold', async () => {
    const { store, refusedKeys = [] } = under();
    for (const key of refusedKeys) {
      const answers = [
        store.put(key, bytes('v')),
        store.get(key),
        store.exists(key),
        store.delete(key),
        store.write(key, some([bytes('v')])),
        joined(store.read(key)),
      ];
      for (const answer of await Promise.allSettled(answers)) {
        expect(answer, key).toMatchObject({ status: 'rejected', reason: { code: 'OBJECT_KEY_INVALID' } });
      }
    }
  });
}

function listings(under: () => ObjectStoreUnderTest): void {
  it('goes past one page, in key order, and knows first-level directories', async () => {
    const { store } = under();
    const names = Array.from({ length: 1_203 }, (_, index) => `many/d${index % 3}/k${String(index).padStart(5, '0')}`);
    for (let at = 0; at < names.length; at += 50) {
      await Promise.all(names.slice(at, at + 50).map((key) => store.put(key, bytes('x'))));
    }
    expect(await keysOf(store, 'many/')).toEqual(names.toSorted());
    expect(await store.listCommonPrefixes('many/')).toEqual(['d0', 'd1', 'd2']);
    expect(await store.listCommonPrefixes('none/')).toEqual([]);
  });

  it('takes a prefix as text, not as a directory, and orders by the bytes of the keys', async () => {
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

  it('forgets a directory with its last object', async () => {
    const { store } = under();
    await store.put('gone/a/b/c', bytes('v'));
    await store.delete('gone/a/b/c');
    expect(await store.listCommonPrefixes('gone/')).toEqual([]);
    expect(await keysOf(store, 'gone/')).toEqual([]);
    expect((await store.listCommonPrefixes('')).includes('gone')).toBe(false);
  });

  it('ends when the loop over it is left', async () => {
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

function streams(under: () => ObjectStoreUnderTest): void {
  it.each<[string, (whole: Uint8Array) => Uint8Array[]]>([
    ['in one piece', (whole) => [whole]],
    [
      'with empty pieces between',
      (whole) => [new Uint8Array(), whole.subarray(0, 7), new Uint8Array(), whole.subarray(7)],
    ],
    ['in pieces of an odd size', (whole) => slices(whole, 100_003)],
  ])('writes and reads %s', async (_, cutUp) => {
    const { store, severalPartsBytes } = under();
    for (const size of [0, 1, 1_000, severalPartsBytes + 1]) {
      const whole = pattern(size);
      await store.write('streams/k', some(cutUp(whole)));
      expect(Buffer.compare(await joined(store.read('streams/k')), whole), `${size} bytes`).toBe(0);
      expect(await summaries(store, 'streams/k')).toEqual([`streams/k ${size}`]);
    }
    expect(await under().leftovers()).toEqual([]);
  });

  it('ends a transfer whose loop is left, and serves the next', async () => {
    const { store, severalPartsBytes } = under();
    await store.put('streams/left', pattern(severalPartsBytes));
    for (let round = 0; round < 40; round++) {
      for await (const piece of store.read('streams/left')) {
        expect(piece.length).toBeGreaterThan(0);
        break;
      }
    }
    expect((await store.get('streams/left')).length).toBe(severalPartsBytes);
  });

  it('shows a reader one version, and one of two writers at once wins whole', async () => {
    const { store, severalPartsBytes } = under();
    const [a, b] = [pattern(severalPartsBytes), pattern(severalPartsBytes).fill(7)];
    await store.write('streams/race', some([a]));
    const seen = await Promise.all([
      joined(store.read('streams/race')).catch((error: AppError) => error.code),
      store.write('streams/race', some(slices(b, 100_000))),
      store.write('streams/race', some(slices(a, 100_000))),
    ]);
    const isOne = (body: Uint8Array) => Buffer.compare(body, a) === 0 || Buffer.compare(body, b) === 0;
    // A reader may lose what it reads to the replacement, but never sees a mixture.
    if (typeof seen[0] !== 'string') expect(isOne(seen[0])).toBe(true);
    else expect(['OBJECT_STORE_UNAVAILABLE', 'OBJECT_NOT_FOUND']).toContain(seen[0]);
    expect(isOne(await store.get('streams/race'))).toBe(true);
    expect(await under().leftovers()).toEqual([]);
  });
}

function failedWrites(under: () => ObjectStoreUnderTest): void {
  it.each<[string, (several: number) => number]>([
    ['at once', () => 0],
    ['early', () => 10],
    ['after several parts', (several) => several],
  ])('whose source fails %s leave the key as it was', async (_, failAfter) => {
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

function aborts(under: () => ObjectStoreUnderTest): void {
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
      store.write('aborted/k', some([bytes('v')]), options),
      store.delete('k', options),
      store.signedUrl('k', { ...options, ttlMs: 60_000 }),
    ];
    for (const call of await Promise.allSettled(calls)) expect(call).toMatchObject({ status: 'rejected', reason });
    expect(await keysOf(store, 'aborted/')).toEqual([]);
  });

  it.each<[string, (several: number) => number]>([
    ['early', () => 10],
    ['after several parts', (several) => several],
  ])('end a write %s, leave the key as it was, and end its source', async (_, abortAfter) => {
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

  it('end a read in its middle', async () => {
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

/** Bytes whose place can be told from them. */
function pattern(size: number): Uint8Array {
  const whole = new Uint8Array(size);
  for (let at = 0; at < size; at++) whole[at] = (at ^ (at >> 9)) & 0xff;
  return whole;
}

function slices(whole: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
    whole.subarray(index * size, (index + 1) * size),
  );
}

async function* some(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(pieces));
}

const keysOf = async (store: ObjectStore, prefix: string, options: { signal?: AbortSignal } = {}): Promise<string[]> =>
  (await Array.fromAsync(store.list(prefix, options))).map(({ key }) => key);

const summaries = async (store: ObjectStore, prefix: string): Promise<string[]> =>
  (await Array.fromAsync(store.list(prefix))).map(({ key, sizeBytes }) => `${key} ${sizeBytes}`);
