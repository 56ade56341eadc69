import { type ConfigMap, configMapType, eventType, leaseType } from '@lateen/api-types';
import { listAll } from '@lateen/kube';
import { eventRecorder, informer, lead, waitForObject } from '@lateen/kube-runtime';
import { expect, it } from 'vitest';
import { compactHistory } from './compact-history.ts';
import { base, describeWithApiServer } from './with-api-server.ts';

await describeWithApiServer('libs/kube on a real kube-apiserver', (under) => {
  const configMap = (namespace: string, name: string, data: Record<string, string> = {}): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name },
    data,
  });

  it('an informer has the same objects as the server, after changes by other clients, a pause of the server and compacted history', async () => {
    const namespace = await under.namespace();
    const api = under.kube;
    const stop = new AbortController();
    const watching = informer({ api, type: configMapType, namespace, ...base });
    const running = watching.run(stop.signal);
    await watching.synced(base.clock.deadline(30_000));
    const churn = async (writer: number) => {
      for (let round = 0; round < 12; round++) {
        const name = `w${writer}-${round}`;
        await api.create(configMapType, configMap(namespace, name, { round: String(round) }));
        await api.patch(configMapType, { namespace, name }, { type: 'merge', body: { data: { patched: 'yes' } } });
        if (round % 3 === 0) await api.delete(configMapType, { namespace, name });
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, writer) => churn(writer)));
    await compactHistory(under.server.etcdUrl);
    process.kill(under.server.pids.apiServer, 'SIGSTOP');
    await base.clock.sleep(1_000);
    process.kill(under.server.pids.apiServer, 'SIGCONT');
    await churn(99);
    const versionsOf = (objects: readonly ConfigMap[]) =>
      Object.fromEntries(objects.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    const { items } = await listAll(api, configMapType, { namespace });
    await expect.poll(() => versionsOf(watching.list()), { timeout: 100_000 }).toEqual(versionsOf(items));
    stop.abort();
    await running;
  });

  it('a wait for an object ends with the change, not before', async () => {
    const namespace = await under.namespace();
    const key = { namespace, name: 'awaited' };
    const waited = waitForObject<ConfigMap, string>({
      api: under.kube,
      type: configMapType,
      key,
      until: (object) => object?.data?.phase,
      signal: base.clock.deadline(30_000),
      ...base,
    });
    await under.kube.create(configMapType, configMap(namespace, 'awaited'));
    await under.kube.patch(configMapType, key, { type: 'merge', body: { data: { phase: 'Ready' } } });
    expect(await waited).toBe('Ready');
  });

  it('one process leads at a time, and the next one soon after it stops', async () => {
    const namespace = await under.namespace();
    const order: string[] = [];
    const contender = (identity: string, stop: AbortSignal) =>
      lead(
        {
          api: under.kube,
          namespace,
          name: 'lead',
          identity,
          ...base,
          leaseDurationMs: 40_000,
          renewDeadlineMs: 20_000,
          retryPeriodMs: 300,
        },
        async (signal) => {
          order.push(`${identity} begins`);
          await base.clock.sleep(60_000, signal).catch(() => {});
          order.push(`${identity} ends`);
        },
        stop,
      );
    const stopFirst = new AbortController();
    const stopSecond = new AbortController();
    const first = contender('first', stopFirst.signal);
    await expect.poll(() => order, { timeout: 100_000 }).toEqual(['first begins']);
    const second = contender('second', stopSecond.signal);
    await base.clock.sleep(1_000);
    expect(order).toEqual(['first begins']);
    const held = await under.kube.get(leaseType, { namespace, name: 'lead' });
    expect(held.spec?.holderIdentity).toBe('first');
    stopFirst.abort(new Error('shut down'));
    await first;
    // Long before its lease would have expired.
    await expect.poll(() => order, { timeout: 30_000 }).toEqual(['first begins', 'first ends', 'second begins']);
    stopSecond.abort(new Error('shut down'));
    await second;
  });

  it('events are sent, and repetitions are counted in one', async () => {
    const namespace = await under.namespace();
    const { metadata, kind } = await under.kube.create(configMapType, configMap(namespace, 'subject'));
    const subject = { apiVersion: 'v1', kind, namespace, name: 'subject', uid: metadata.uid ?? '' };
    const recorder = eventRecorder({ api: under.kube, component: 'test', host: 'node-1', ...base });
    for (const text of ['1 of 3', '2 of 3', '3 of 3']) {
      recorder.record(subject, 'Progressed', text);
      expect(await recorder.flush(base.clock.deadline(10_000))).toBe(true);
    }
    const { items } = await under.kube.list(eventType, { namespace, fieldSelector: 'involvedObject.name=subject' });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ reason: 'Progressed', message: '3 of 3', count: 3, type: 'Normal' });
  });
});
