import { AppError } from '@lateen/errors';
import type { LocationRates, ResolvedLocation } from '@lateen/storage-location';
import { FakeClock, faultyObjectStore, memoryObjectStore, seededRandom } from '@lateen/testing';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { decoratedStores } from './decorated-stores.ts';
import { objectStoreMetrics } from './object-store-metrics.ts';

const busy = new AppError('OBJECT_STORE_UNAVAILABLE', 'slow down', { retry: 'soon' });
const location = (name: string, readOnly = false, rates: LocationRates = {}): ResolvedLocation => ({
  provider: 'fs',
  name,
  bucket: '',
  prefix: '',
  readOnly,
  path: '/data',
  ...rates,
});

function decorated() {
  const registry = new Registry();
  const clock = Object.assign(new FakeClock(), { sleep: async () => {} });
  const inner = faultyObjectStore(memoryObjectStore({ objects: { k: 'value' } }));
  const observerOf = objectStoreMetrics(registry);
  return { registry, inner, open: decoratedStores(() => inner, { clock, random: seededRandom(1), observerOf }) };
}

describe('decoratedStores', () => {
  it('retry, and count each try and each byte', async () => {
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

  it('accept the log and the results of restores in a read-only location, and delete none of them', async () => {
    const { inner, open } = decorated();
    const store = open({ ...location('a', true), prefix: 'cluster' });
    await store.put('cluster/restores/r/restore-r-logs.gz', new Uint8Array(3));
    await store.write(
      'cluster/restores/r/restore-r-results.gz',
      (async function* () {
        yield new Uint8Array(3);
      })(),
    );
    for (const change of [
      store.put('cluster/backups/b/velero-backup.json', new Uint8Array(3)),
      store.put('restores/r/restore-r-logs.gz', new Uint8Array(3)),
      store.delete('cluster/restores/r/restore-r-logs.gz'),
    ])
      await expect(change).rejects.toMatchObject({ code: 'LOCATION_READ_ONLY' });
    expect(inner.calls).toHaveLength(2);
  });

  it('have a separate budget per location, which all its stores share', async () => {
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

  describe('of a location with rates', () => {
    const limited = (up: number | undefined, name = 'a') =>
      location(name, false, up === undefined ? {} : { uploadBytesPerSecond: up });

    function throttled() {
      const clock = new FakeClock();
      const inner = memoryObjectStore({ objects: { big: new Uint8Array(8_192) } });
      const open = decoratedStores(() => inner, { clock, random: seededRandom(1), observerOf: undefined });
      const done: string[] = [];
      const put = (of: ResolvedLocation, name: string) =>
        open(of)
          .put(name, new Uint8Array(2_048))
          .then(() => void done.push(`${name}@${clock.monotonicMs()}`));
      return { clock, inner, open, done, put };
    }

    it('share them, however often they are opened, and not with other locations', async () => {
      const { clock, done, put } = throttled();
      const all = [put(limited(2_048), 'one'), put(limited(2_048), 'two'), put(limited(2_048, 'b'), 'other')];
      await clock.advance(5_000);
      await Promise.all(all);
      expect(done).toEqual(['one@1000', 'other@1000', 'two@2000']);
    });

    it('follow a change of them during a transfer', async () => {
      const { clock, open, done, put } = throttled();
      const slow = put(limited(1_024), 'slow');
      const slower = put(limited(1_024), 'slower');
      await clock.advance(1_500);
      expect(done).toEqual(['slow@1000']);
      // A validation opens the location again when its annotation has changed.
      const again = open(limited(undefined));
      await clock.advance(0);
      await Promise.all([slow, slower]);
      expect(done).toEqual(['slow@1000', 'slower@1500']);
      await again.close();
    });

    it('limit the rate of reads, and not that of lists and writes', async () => {
      const { clock, open } = throttled();
      const store = open(location('a', false, { downloadBytesPerSecond: 4_096 }));
      await store.put('k', new Uint8Array(100_000));
      await store.listCommonPrefixes('');
      const ends: number[] = [];
      const reading = (async () => {
        for (const _ of [1, 2, 3]) {
          await store.get('big');
          ends.push(clock.monotonicMs());
        }
      })();
      await clock.advance(20_000);
      await reading;
      expect(ends).toEqual([1_000, 3_000, 5_000]);
    });
  });
});
