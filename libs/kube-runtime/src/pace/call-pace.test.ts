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
  it('adds a place for each round of calls without trouble, up to a limit', async () => {
    const { places, pace: calls } = pace();
    for (let at = 0; at < 8; at++) await calls.learnFrom(async () => {});
    expect(places.max).toBe(9);
    for (let at = 0; at < 1_000; at++) await calls.learnFrom(async () => {});
    expect(places.max).toBe(16);
  });

  it('halves the places once for all calls that were under way when one was slow', async () => {
    const { clock, places, pace: calls } = pace();
    const slow = Array.from({ length: 8 }, () => calls.learnFrom(() => clock.sleep(1_000)));
    await clock.advance(1_000);
    await Promise.all(slow);
    expect(places.max).toBe(4);
  });

  it('halves them when the API server turns a call away, and not for other errors', async () => {
    const { places, pace: calls } = pace();
    const failing = (error: Error) => calls.learnFrom(() => Promise.reject(error)).catch(() => {});
    await failing(kubeError('KUBE_INVALID', 'no'));
    expect(places.max).toBe(8);
    for (let at = 0; at < 10; at++) await failing(kubeError('KUBE_TOO_MANY_REQUESTS', 'no'));
    expect(places.max).toBe(2);
  });
});

describe('pacedApi', () => {
  it('is the API, and tells of each of its calls but watches', async () => {
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
