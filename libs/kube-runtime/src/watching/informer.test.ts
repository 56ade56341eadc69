import { type ConfigMap, configMapType } from '@lateen/api-types';
import { kubeError, type WatchOptions } from '@lateen/kube';
import { FakeClock, type FakeCluster, fakeCluster, recordingLog, seededRandom } from '@lateen/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { informer } from './informer.ts';
import { byLabel } from './object-cache.ts';

const aConfigMap = (name: string, value = '1', labels: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'velero', labels },
  data: { value },
});

let running: { end: AbortController; ended: Promise<void> }[] = [];

interface Started {
  clock: FakeClock;
  cluster: FakeCluster;
  log: ReturnType<typeof recordingLog>;
  seen: string[];
  informed: ReturnType<typeof informer<ConfigMap>>;
  end: AbortController;
}

async function start(objects: ConfigMap[] = [], prepare: (cluster: FakeCluster) => void = () => {}): Promise<Started> {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects });
  prepare(cluster);
  const log = recordingLog();
  const seen: string[] = [];
  const informed = informer({
    api: cluster,
    type: configMapType,
    namespace: 'velero',
    clock,
    random: seededRandom(),
    log,
    indexers: { color: byLabel('color') },
  });
  informed.onChange((change) =>
    seen.push(`${change.type} ${change.object.metadata.name} ${change.object.data?.value}`),
  );
  const end = new AbortController();
  running.push({ end, ended: informed.run(end.signal) });
  await cluster.settle();
  return { clock, cluster, log, seen, informed, end };
}

const watchCalls = (cluster: FakeCluster) => cluster.calls.filter((call) => call.verb === 'watch').length;
const listCalls = (cluster: FakeCluster) => cluster.calls.filter((call) => call.verb === 'list').length;

afterEach(async () => {
  for (const { end } of running) end.abort();
  await Promise.all(running.map(({ ended }) => ended));
  running = [];
});

describe('informer', () => {
  it('holds the existing objects, follows changes and reports them in order', async () => {
    const { cluster, seen, informed } = await start([aConfigMap('a')]);
    expect(informed.hasSynced).toBe(true);
    cluster.put(aConfigMap('b')).put(aConfigMap('a', '2')).remove(configMapType, { namespace: 'velero', name: 'b' });
    await cluster.settle();
    expect(seen).toEqual(['added a 1', 'added b 1', 'updated a 2', 'deleted b 1']);
    expect(informed.list().map((each) => each.metadata.name)).toEqual(['a']);
    expect(informed.get({ namespace: 'velero', name: 'a' })?.data).toEqual({ value: '2' });
  });

  it('finds objects by index, even after their index value changed', async () => {
    const { cluster, informed } = await start([aConfigMap('a', '1', { color: 'red' }), aConfigMap('b')]);
    const names = (color: string) => informed.byIndex('color', color).map((each) => each.metadata.name);
    expect(names('red')).toEqual(['a']);
    cluster.put(aConfigMap('a', '1', { color: 'blue' }), aConfigMap('b', '1', { color: 'blue' }));
    await cluster.settle();
    expect([names('red'), names('blue')]).toEqual([[], ['a', 'b']]);
    expect(() => informed.byIndex('shape', 'x')).toThrow('no indexer named shape');
  });

  it('reads a long list in pages and drops managedFields', async () => {
    const many = Array.from({ length: 1_201 }, (_, i) => aConfigMap(`m${i}`));
    const [first] = many;
    if (first !== undefined) first.metadata.managedFields = [{ manager: 'kubectl' }];
    const { cluster, informed } = await start(many);
    expect(informed.stats().objects).toBe(1_201);
    expect(listCalls(cluster)).toBe(3);
    expect(informed.get({ namespace: 'velero', name: 'm0' })?.metadata).not.toHaveProperty('managedFields');
  });

  it('resumes a broken watch from the last version, without a new list and without losing a change', async () => {
    const { clock, cluster, seen } = await start([aConfigMap('a')]);
    cluster.put(aConfigMap('b'));
    await cluster.settle();
    cluster.closeWatches({}).put(aConfigMap('c'));
    await clock.advance(60_000);
    expect(seen).toEqual(['added a 1', 'added b 1', 'added c 1']);
    expect([listCalls(cluster), watchCalls(cluster)]).toEqual([1, 2]);
  });

  it('does not warn about a quiet watch without bookmarks, and continues to watch', async () => {
    const { clock, cluster, log, seen } = await start([aConfigMap('a')]);
    cluster.closeWatches({ error: kubeError('KUBE_UNAVAILABLE', 'not even a bookmark came', { reason: 'IDLE' }) });
    await clock.advance(60_000);
    cluster.put(aConfigMap('b'));
    await cluster.settle();
    expect(seen).toEqual(['added a 1', 'added b 1']);
    expect(log.messages('warn')).toEqual([]);
    cluster.closeWatches({ error: kubeError('KUBE_UNAVAILABLE', 'connection reset') });
    await clock.advance(60_000);
    expect(log.messages('warn')).toEqual(['watching was interrupted']);
  });

  it('relists after 410 and reports the deletions that it missed', async () => {
    const { clock, cluster, seen, informed } = await start([aConfigMap('a'), aConfigMap('b')]);
    await clock.advance(20_000);
    cluster
      .closeWatches({})
      .remove(configMapType, { namespace: 'velero', name: 'a' })
      .put(aConfigMap('b', '2'))
      .compact();
    await clock.advance(60_000);
    expect(seen).toEqual(['added a 1', 'added b 1', 'updated b 2', 'deleted a 1']);
    expect(informed.list()).toHaveLength(1);
    expect([listCalls(cluster), cluster.openWatches]).toEqual([2, 1]);
  });

  it('resumes from the last event or bookmark, so that older history may be gone', async () => {
    const { clock, cluster, seen } = await start([aConfigMap('a')]);
    const askedFrom = () =>
      (cluster.calls.findLast((call) => call.verb === 'watch')?.options as WatchOptions | undefined)?.resourceVersion;
    cluster.put(aConfigMap('a', '2'));
    await cluster.settle();
    cluster.closeWatches({}).compact();
    await clock.advance(60_000);
    const { resourceVersion } = cluster.find(configMapType, { namespace: 'velero', name: 'a' })?.metadata ?? {};
    expect(askedFrom()).toBe(resourceVersion);
    cluster.put({ ...aConfigMap('elsewhere'), metadata: { name: 'elsewhere', namespace: 'other' } });
    cluster.bookmark();
    await cluster.settle();
    cluster.closeWatches({}).compact();
    await clock.advance(60_000);
    expect(Number(askedFrom())).toBeGreaterThan(Number(resourceVersion));
    expect(seen).toEqual(['added a 1', 'updated a 2']);
    expect(listCalls(cluster)).toBe(1);
  });

  it('treats an object that was deleted and created again as two objects', async () => {
    const { clock, cluster, seen } = await start([aConfigMap('a')]);
    cluster
      .closeWatches({})
      .remove(configMapType, { namespace: 'velero', name: 'a' })
      .put(aConfigMap('a', '9'))
      .compact();
    await clock.advance(60_000);
    expect(seen).toEqual(['added a 1', 'deleted a 1', 'added a 9']);
  });

  it('does not relist in a tight loop when 410 is repeated', async () => {
    const gone = kubeError('KUBE_GONE', 'too old resource version');
    const { clock, cluster, informed } = await start([], (fake) => fake.failTimes(1_000, 'watch', configMapType, gone));
    await clock.advance(600_000);
    expect(listCalls(cluster)).toBeGreaterThan(10);
    expect(listCalls(cluster)).toBeLessThan(40);
    expect(informed.stats().interruptions).toBe(watchCalls(cluster));
  });

  it('does not reconnect in a tight loop when each watch delivers one event and ends', async () => {
    const { clock, cluster, seen } = await start([aConfigMap('a')]);
    let version = 1;
    const off = cluster.intercept(async (call, next) => {
      const result = await next();
      if (call.verb === 'watch') {
        void Promise.resolve().then(async () => {
          await clock.sleep(1);
          cluster.put(aConfigMap('a', String(++version)));
          await clock.sleep(1);
          cluster.closeWatches();
        });
      }
      return result;
    });
    cluster.closeWatches();
    await clock.advance(300_000);
    off();
    expect(watchCalls(cluster)).toBeLessThan(25);
    expect(seen.at(-1)).toBe(`updated a ${version}`);
    expect(listCalls(cluster)).toBe(1);
  });

  it('waits as long as the server asks when it is throttled', async () => {
    const throttled = kubeError('KUBE_TOO_MANY_REQUESTS', 'slow down', { retryAfterMs: 45_000 });
    const { clock, cluster, informed } = await start([aConfigMap('a')], (fake) =>
      fake.failOnce('list', configMapType, throttled),
    );
    await clock.advance(44_000);
    expect([informed.hasSynced, listCalls(cluster)]).toEqual([false, 1]);
    await clock.advance(2_000);
    expect([informed.hasSynced, listCalls(cluster)]).toEqual([true, 2]);
  });

  it('gives up a connection that no longer delivers', async () => {
    const { clock, cluster, seen } = await start([aConfigMap('a')]);
    const silent = cluster.intercept(async (call, next) => {
      if (call.verb !== 'watch') return next();
      return (async function* () {
        await clock.sleep(10 * 3_600_000, (call.options as { signal?: AbortSignal }).signal);
        yield { type: 'BOOKMARK', version: 0 };
      })();
    });
    cluster.closeWatches({});
    await clock.advance(5_000);
    silent();
    cluster.put(aConfigMap('a', '2'));
    await clock.advance(700_000);
    expect(seen).toEqual(['added a 1', 'updated a 2']);
  });

  it('logs and counts a handler that throws or rejects, and continues', async () => {
    const { cluster, log, seen, informed } = await start();
    informed.onChange(() => {
      throw new Error('handler defect');
    });
    informed.onChange(async () => Promise.reject(new Error('late defect')));
    cluster.put(aConfigMap('a')).put(aConfigMap('b'));
    await cluster.settle();
    expect(seen).toEqual(['added a 1', 'added b 1']);
    expect(informed.stats().handlerErrors).toBe(4);
    expect(log.messages('error')).toEqual(Array(4).fill('a change handler failed'));
  });

  it('replays existing objects to a late handler, and stops calling it after unsubscribe', async () => {
    const { cluster, informed } = await start([aConfigMap('a')]);
    const late: string[] = [];
    const off = informed.onChange((change) => late.push(`${change.type} ${change.object.metadata.name}`));
    off();
    cluster.put(aConfigMap('b'));
    await cluster.settle();
    expect(late).toEqual(['added a']);
  });

  it('ends when the signal aborts and leaves no timer and no watch', async () => {
    const { clock, cluster, informed, end } = await start([aConfigMap('a')]);
    end.abort();
    await Promise.all(running.map(({ ended }) => ended));
    expect([cluster.openWatches, clock.pending]).toEqual([0, 0]);
    await expect(informed.synced(AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  });
});
