import { AppError } from '@lateen/errors';
import { type RetryBudget, retryBudget, retryingStore, storeRetryDefault } from '@lateen/object-store';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../clock/fake-clock.ts';
import { seededRandom } from '../clock/seeded-random.ts';
import { describeObjectStore } from '../conformance/describe-object-store.ts';
import { type FaultyObjectStore, faultyObjectStore, type ScriptedFault } from './faulty-object-store.ts';
import { memoryObjectStore } from './memory-object-store.ts';

const soon = new AppError('OBJECT_STORE_UNAVAILABLE', 'slow down', { retry: 'soon' });
const later = new AppError('OBJECT_STORE_FORBIDDEN', 'wrong keys', { retry: 'later' });
const bytes = (text: string) => new TextEncoder().encode(text);
const allCalls = (inner: FaultyObjectStore) => inner.calls.map(({ operation }) => operation);

function retrying(script: ScriptedFault[], budget?: RetryBudget) {
  const clock = new FakeClock();
  const memory = memoryObjectStore({ objects: { k: 'value' } });
  const inner = faultyObjectStore(memory, script, clock);
  const store = retryingStore(inner, { clock, random: seededRandom(1), ...(budget === undefined ? {} : { budget }) });
  /** Lets all delays pass; returns their lengths. */
  const finish = async <Result>(work: Promise<Result>) => {
    let settled = false;
    const outcome = work.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    void outcome.then(() => {
      settled = true;
    });
    await clock.advanceUntil(() => settled);
    return { ...(await outcome), waitedMs: clock.monotonicMs() };
  };
  return { clock, memory, inner, store, finish };
}

describe('retryingStore', () => {
  it.each<[string, (store: ReturnType<typeof retrying>['store']) => Promise<unknown>]>([
    ['listCommonPrefixes', (store) => store.listCommonPrefixes('')],
    ['list', (store) => Array.fromAsync(store.list(''))],
    ['exists', (store) => store.exists('k')],
    ['get', (store) => store.get('k')],
    ['put', (store) => store.put('k', bytes('new'))],
    ['read', (store) => Array.fromAsync(store.read('k'))],
    ['write', (store) => store.write('k', some(['new']))],
    ['delete', (store) => store.delete('k')],
    ['signedUrl', (store) => store.signedUrl('k', { ttlMs: 1_000 })],
  ])('%s succeeds at the third attempt, with growing delays', async (_, call) => {
    const { store, inner, finish } = retrying([{ times: 2, fault: { fail: soon } }]);
    const outcome = await finish(call(store));
    expect(outcome).not.toHaveProperty('error');
    expect(inner.calls).toHaveLength(3);
    // 200 and 400 ms, each with a jitter of half of itself.
    expect(outcome.waitedMs).toBeGreaterThanOrEqual(300);
    expect(outcome.waitedMs).toBeLessThanOrEqual(900);
  });

  it('throws the last error after its attempts', async () => {
    const { store, inner, finish } = retrying([{ fault: { fail: soon } }]);
    expect(await finish(store.get('k'))).toMatchObject({ error: soon });
    expect(inner.calls).toHaveLength(storeRetryDefault.attemptsMax);
  });

  it.each([later, new AppError('OBJECT_NOT_FOUND', 'none'), new Error('a defect')])(
    'does not retry after %s',
    async (error) => {
      const { store, inner, finish } = retrying([{ fault: { fail: error } }]);
      expect(await finish(store.get('k'))).toMatchObject({ error, waitedMs: 0 });
      expect(inner.calls).toHaveLength(1);
    },
  );

  it('repeats a put whose response was lost', async () => {
    const { store, memory, inner, finish } = retrying([{ on: 'put', times: 1, fault: { loseAnswer: soon } }]);
    await finish(store.put('new', bytes('v')));
    expect(memory.text('new')).toBe('v');
    expect(allCalls(inner)).toEqual(['put', 'put']);
  });

  it('does not restart a stream once a chunk was delivered', async () => {
    const { store, inner, finish, memory } = retrying([{ on: 'read', fault: { cutAfter: 70_000, error: soon } }]);
    memory.objects.set('large', new Uint8Array(200_000));
    const seen: number[] = [];
    const reading = (async () => {
      for await (const piece of store.read('large')) seen.push(piece.length);
    })();
    expect(await finish(reading)).toMatchObject({ error: soon, waitedMs: 0 });
    expect([seen.length, inner.calls.length]).toEqual([1, 1]);
  });

  it('restarts a stream that ended before its first chunk', async () => {
    const { store, inner, finish } = retrying([{ on: 'read', times: 1, fault: { cutAfter: 0, error: soon } }]);
    expect(await finish(Array.fromAsync(store.read('k')))).toMatchObject({ value: [bytes('value')] });
    expect(inner.calls).toHaveLength(2);
  });

  it('does not write again from a source that has begun', async () => {
    const { store, inner, finish, memory } = retrying([{ on: 'write', fault: { cutAfter: 3, error: soon } }]);
    let begun = 0;
    const source = async function* () {
      begun++;
      yield bytes('abc');
      yield bytes('def');
    };
    expect(await finish(store.write('new', source()))).toMatchObject({ error: soon });
    expect([begun, inner.calls.length, memory.objects.has('new')]).toEqual([1, 1, false]);
  });

  it('ends with the reason of an abort while it waits', async () => {
    const { store, clock } = retrying([{ fault: { fail: soon } }]);
    const stop = new AbortController();
    const getting = store.get('k', { signal: stop.signal });
    getting.catch(() => {});
    await clock.advance(1);
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(getting).rejects.toBe(reason);
    expect(clock.pending).toBe(0);
  });

  it('stops retrying for all calls when their retry budget is used up, and refills it by successes', async () => {
    const budget = retryBudget({ retriesMax: 3, perSuccess: 0.5 });
    const { store, inner, finish } = retrying([{ fault: { fail: soon } }], budget);
    await finish(store.get('k'));
    expect([inner.calls.length, budget.left]).toEqual([4, 0]);
    await finish(store.get('k'));
    expect(inner.calls).toHaveLength(5);
    inner.heal();
    await finish(store.get('k'));
    await finish(store.exists('k'));
    expect(budget.left).toBe(1);
    for (let success = 0; success < 20; success++) await store.exists('k');
    expect(budget.left).toBe(3);
  });
});

/** Every third call of an unhealthy store fails, and one in seven loses its response. */
describeObjectStore('in memory, failing, behind retries', async () => {
  const memory = memoryObjectStore();
  const sick = faultyObjectStore(memory);
  for (let after = 2; after < 4_000; after += 3) sick.add({ on: 'get', after, times: 1, fault: { fail: soon } });
  for (let after = 6; after < 4_000; after += 7) sick.add({ on: 'put', after, times: 1, fault: { loseAnswer: soon } });
  for (let after = 3; after < 400; after += 4) sick.add({ on: 'write', after, times: 1, fault: { fail: soon } });
  for (let after = 3; after < 400; after += 4) sick.add({ on: 'list', after, times: 1, fault: { fail: soon } });
  const clock = Object.assign(new FakeClock(), { sleep: async () => {} });
  const store = retryingStore(sick, {
    clock,
    random: seededRandom(2),
    budget: retryBudget({ retriesMax: 1_000, perSuccess: 1 }),
  });
  return {
    store,
    missing: memoryObjectStore({ bucketExists: false }),
    fetchSigned: async (url) => {
      const body = memory.objects.get(decodeURIComponent(new URL(url).pathname.slice(1)));
      return { status: body === undefined ? 404 : 200, body: body ?? new Uint8Array() };
    },
    leftovers: async () => [],
    keepsUnfinished: true,
    severalPartsBytes: 300_000,
    close: () => store.close(),
  };
});

async function* some(pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield bytes(piece);
}
