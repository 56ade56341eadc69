import { Places } from '@lateen/kernel';
import { kubeError } from '@lateen/kube';
import { FakeClock, fakeCluster } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { CallPace, firstCalls } from './call-pace.ts';
import { pacedApi } from './paced-api.ts';

const limits = { callsMin: 2, callsMax: 16, slowCallMs: 1_000 };

function pace() {
  const clock = new FakeClock();
  const places = new Places(firstCalls(limits));
  return { clock, places, pace: new CallPace(places, limits, clock) };
}

describe('CallPace', () => {
  it('adds one slot per round of calls without trouble, up to a limit', async () => {
    const { places, pace: calls } = pace();
    for (let at = 0; at < 8; at++) await calls.learnFrom(async () => {});
    expect(places.max).toBe(9);
    for (let at = 0; at < 1_000; at++) await calls.learnFrom(async () => {});
    expect(places.max).toBe(16);
  });

  it('halves its slots once for all calls that ran at the same time when one was slow', async () => {
    const { clock, places, pace: calls } = pace();
    const slow = Array.from({ length: 8 }, () => calls.learnFrom(() => clock.sleep(1_000)));
    await clock.advance(1_000);
    await Promise.all(slow);
    expect(places.max).toBe(4);
  });

  it('halves its slots when the API server rejects a call as too many, and not for other errors', async () => {
    const { places, pace: calls } = pace();
    const failing = (error: Error) => calls.learnFrom(() => Promise.reject(error)).catch(() => {});
    await failing(kubeError('KUBE_INVALID', 'no'));
    expect(places.max).toBe(8);
    for (let at = 0; at < 10; at++) await failing(kubeError('KUBE_TOO_MANY_REQUESTS', 'no'));
    expect(places.max).toBe(2);
  });
});

describe('CallPace with room for other clients', () => {
  const others = { slowerAtMost: 2, freeMs: 5, callsMin: 4 };

  /** A server that answers `atOnce` calls in parallel in 10 ms, and makes the others wait. */
  async function rounds(count: number, atOnce: number, within = { ...limits, callsMax: 64, others }) {
    const clock = new FakeClock();
    const places = new Places(firstCalls(within));
    const calls = new CallPace(places, within, clock);
    for (let round = 0; round < count; round++) {
      const takesMs = Math.ceil(places.max / atOnce) * 10;
      const all = Array.from({ length: places.max }, () => calls.learnFrom(() => clock.sleep(takesMs)));
      await clock.advance(takesMs);
      await Promise.all(all);
    }
    return places.max;
  }

  it('starts with few slots, and uses no more than the server answers within twice the best time', async () => {
    expect(firstCalls({ ...limits, callsMax: 64, others })).toBe(4);
    expect(await rounds(400, 4)).toBeLessThanOrEqual(9);
    expect(await rounds(400, 4)).toBeGreaterThanOrEqual(4);
    expect(await rounds(400, 10)).toBeLessThanOrEqual(21);
    expect(await rounds(400, 10)).toBeGreaterThanOrEqual(16);
  });

  it('uses all its slots when the server answers any number in the same time', async () => {
    expect(await rounds(100, 1_000)).toBe(64);
  });

  it('measures the best time again when calls become slower in general', async () => {
    const clock = new FakeClock();
    const within = { ...limits, callsMax: 64, others };
    const places = new Places(firstCalls(within));
    const calls = new CallPace(places, within, clock);
    const round = async (takesMs: number) => {
      const all = Array.from({ length: places.max }, () => calls.learnFrom(() => clock.sleep(takesMs)));
      await clock.advance(takesMs);
      await Promise.all(all);
    };
    for (let count = 0; count < 20; count++) await round(10);
    expect(places.max).toBeGreaterThan(20);
    for (let count = 0; count < 30; count++) await round(100);
    expect(places.max).toBe(4);
    for (let count = 0; count < 200; count++) await round(100);
    expect(places.max).toBe(64);
  });

  it('stays within its guaranteed minimum and its maximum', async () => {
    expect(await rounds(300, 1)).toBeLessThanOrEqual(8);
    expect(
      await rounds(300, 1, { ...limits, callsMax: 64, others: { ...others, slowerAtMost: 1 } }),
    ).toBeLessThanOrEqual(5);
    expect(await rounds(300, 1, { ...limits, callsMin: 1, callsMax: 1, others })).toBe(1);
  });

  it('keeps its slots in fast rounds, however short the best time was', async () => {
    expect(await rounds(100, 4, { ...limits, callsMax: 64, others: { ...others, freeMs: 1_000 } })).toBe(64);
  });
});

describe('pacedApi', () => {
  it('forwards all calls, and measures each call except watches', async () => {
    const cluster = fakeCluster();
    let calls = 0;
    const api = pacedApi(cluster, {
      learnFrom: (call) => {
        calls++;
        return call();
      },
    });
    const type = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true } as const;
    const key = { namespace: 'velero', name: 's' };
    await api.create(type, { apiVersion: 'v1', kind: 'Secret', metadata: key });
    await api.update(type, { ...(await api.get(type, key)) });
    await api.patch(type, key, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
    expect((await api.list(type, { namespace: 'velero' })).items).toHaveLength(1);
    await api.delete(type, key);
    api.watch(type, { resourceVersion: '0', timeoutSeconds: 1 });
    expect(calls).toBe(6);
  });
});
