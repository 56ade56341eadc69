import { configMapType, podType } from '@lateen/api-types';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { kubeApiOverHttp, retryLimitsDefault } from '@lateen/kube';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aConfigMap, aPod } from '../builders/workloads.ts';
import { type FakeCluster, fakeCluster } from '../cluster/fake-cluster.ts';
import { plainHttpTransport } from './plain-http-transport.ts';
import { type ServedCluster, serveFakeCluster } from './serve-fake-cluster.ts';

let cluster: FakeCluster;
let served: ServedCluster;

beforeEach(async () => {
  cluster = fakeCluster({
    clock: systemClock,
    objects: [aConfigMap({ name: 'a' }), aPod({ name: 'p', phase: 'Running' })],
  });
  served = await serveFakeCluster(cluster);
});
afterEach(() => served.close());

const api = () =>
  kubeApiOverHttp({
    transport: plainHttpTransport(served.url),
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    limits: { retry: { ...retryLimitsDefault, attemptsMax: 1 } },
  });

describe('serveFakeCluster', () => {
  it('serves version, health and aggregated discovery', async () => {
    const get = async (path: string) => (await fetch(served.url + path)).text();
    expect(await get('/readyz')).toBe('ok');
    expect(JSON.parse(await get('/version'))).toMatchObject({ gitVersion: 'v1.34.4' });
    const groups = JSON.parse(await get('/apis')) as { items: { metadata: { name: string } }[] };
    expect(groups.items.map((group) => group.metadata.name)).toContain('velero.io');
    expect(await get('/api')).toContain('"resource":"pods"');
  });

  it('returns 404 for a path of an unknown kind', async () => {
    const answer = await fetch(`${served.url}/apis/example.com/v1/widgets`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ kind: 'Status', reason: 'NotFound', code: 404 });
  });

  it('sends injected errors with status and Retry-After', async () => {
    cluster.failOnce('get', configMapType, 'KUBE_TOO_MANY_REQUESTS');
    const answer = await fetch(`${served.url}/api/v1/namespaces/velero/configmaps/a`);
    expect([answer.status, await answer.json()]).toMatchObject([429, { status: 'Failure', code: 429 }]);
  });

  it('breaks the connection of a watch that the test breaks, and sends 410 as an event', async () => {
    const { resourceVersion } = await api().list(configMapType, { namespace: 'velero' });
    const first = async (version: string) => {
      for await (const event of api().watch(configMapType, { resourceVersion: version, timeoutSeconds: 60 }))
        return event;
      return 'ended';
    };
    const broken = first(resourceVersion);
    const outcome = expect(broken).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE' });
    while (cluster.openWatches === 0) await systemClock.sleep(5);
    cluster.closeWatches({});
    await outcome;
    cluster.put(aConfigMap({ name: 'b' })).compact();
    await expect(first(resourceVersion)).rejects.toMatchObject({ code: 'KUBE_GONE' });
  });

  it('serves pod logs, in chunks', async () => {
    const text = 'first line\n'.repeat(20);
    cluster.setPodLog({ namespace: 'velero', name: 'p' }, text);
    const read = async (options: object) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of api().stream({ namespace: 'velero', name: 'p' }, options)) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    };
    expect(await read({})).toBe(text);
    expect(await read({ tailLines: 2 })).toBe('first line\n'.repeat(2));
    await api().delete(podType, { namespace: 'velero', name: 'p' });
    await expect(read({})).rejects.toThrow('pods "p" not found');
  });

  it('releases its port', async () => {
    await served.close();
    await expect(fetch(`${served.url}/readyz`)).rejects.toThrow();
    served = await serveFakeCluster(cluster);
  });
});
