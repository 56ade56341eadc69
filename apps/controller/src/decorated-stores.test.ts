import { AppError } from '@lateen/errors';
import type { ResolvedLocation } from '@lateen/repository';
import { FakeClock, faultyObjectStore, memoryObjectStore, seededRandom } from '@lateen/testing';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { decoratedStores } from './decorated-stores.ts';
import { objectStoreMetrics } from './object-store-metrics.ts';

const busy = new AppError('OBJECT_STORE_UNAVAILABLE', 'slow down', { retry: 'soon' });
const location = (name: string, readOnly = false): ResolvedLocation => ({
  provider: 'fs',
  name,
  bucket: '',
  prefix: '',
  readOnly,
  path: '/data',
});

function decorated() {
  const registry = new Registry();
  const clock = Object.assign(new FakeClock(), { sleep: async () => {} });
  const inner = faultyObjectStore(memoryObjectStore({ objects: { k: 'value' } }));
  const observerOf = objectStoreMetrics(registry);
  return { registry, inner, open: decoratedStores(() => inner, { clock, random: seededRandom(1), observerOf }) };
}

describe('decoratedStores', () => {
  it('try again, and count each try and each byte', async () => {
    const { registry, inner, open } = decorated();
    inner.add({ on: 'get', times: 2, fault: { fail: busy } });
    await open(location('a')).get('k');
    await open(location('a')).put('k', new Uint8Array(7));
    const text = await registry.metrics();
    for (const line of [
      'lateen_object_store_requests_total{provider="fs",operation="get",result="OBJECT_STORE_UNAVAILABLE"} 2',
      'lateen_object_store_requests_total{provider="fs",operation="get",result="ok"} 1',
      'lateen_object_store_request_duration_seconds_count{provider="fs",operation="get"} 3',
      'lateen_object_store_bytes_total{provider="fs",direction="up"} 7',
      'lateen_object_store_bytes_total{provider="fs",direction="down"} 5',
      'lateen_object_store_requests_open{provider="fs"} 0',
    ]) {
      expect(text).toContain(line);
    }
  });

  it('change nothing in a read-only location', async () => {
    const { inner, open } = decorated();
    await expect(open(location('a', true)).delete('k')).rejects.toMatchObject({ code: 'LOCATION_READ_ONLY' });
    expect(inner.calls).toEqual([]);
    expect(await open(location('a', true)).exists('k')).toBe(true);
  });

  it('give each location a budget of its own, that all its stores share', async () => {
    const { inner, open } = decorated();
    inner.add({ on: 'get', fault: { fail: busy } });
    for (let call = 0; call < 20; call++)
      await open(location('sick'))
        .get('k')
        .catch(() => {});
    const tries = async (name: string) => {
      const before = inner.calls.length;
      await open(location(name))
        .get('k')
        .catch(() => {});
      return inner.calls.length - before;
    };
    expect([await tries('sick'), await tries('well')]).toEqual([1, 5]);
  });
});
