import { silentLogger, systemClock } from '@lateen/kernel';
import { behaviours, type FaultServer, faultServer, seededRandom, testCertificates } from '@lateen/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type KubeInCluster, kubeInCluster } from './kube-in-cluster.ts';

const configMaps = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true } as const;
const emptyList = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items: [] };

let server: FaultServer;
let kube: KubeInCluster;
beforeEach(async () => {
  server = await faultServer();
  const { ca, clients } = testCertificates();
  kube = kubeInCluster({
    config: { host: server.host, port: server.port, ca, ...clients[0] },
    clock: systemClock,
    random: seededRandom(1),
    log: silentLogger,
    limits: { idleConnectionMsMax: 200, bodyTimeoutMs: 200, headersTimeoutMs: 1_000, socketsMax: 2 },
  });
});
afterEach(async () => {
  kube.close();
  await server.close();
});

it('uses its client certificate', async () => {
  server.next(behaviours.answers(200, emptyList));
  await kube.list(configMaps);
  expect(server.received[0]?.clientName).toBe('client-1');
});

it('keeps a silent watch open for longer than the idle and body timeouts', async () => {
  const stream = behaviours.streams();
  server.next(stream.behaviour);
  const events = kube.watch(configMaps, { resourceVersion: '1', timeoutSeconds: 60 })[Symbol.asyncIterator]();
  const first = events.next();
  const { write, end } = await stream.opened;
  await systemClock.sleep(700);
  await write(behaviours.bookmarkLine('9'));
  expect((await first).value).toEqual({ type: 'BOOKMARK', resourceVersion: '9' });
  end();
  expect((await events.next()).done).toBe(true);
});

it('closes an unused connection', async () => {
  server.next(behaviours.answers(200, emptyList));
  await kube.list(configMaps);
  await server.received[0]?.closed;
});

it('never opens more connections than its limit', async () => {
  server.always(behaviours.answers(200, emptyList));
  await Promise.all(Array.from({ length: 20 }, () => kube.list(configMaps)));
  expect(new Set(server.received.map(({ connection }) => connection)).size).toBe(2);
});

it('aborts running requests when it is closed', async () => {
  server.next(behaviours.hangs);
  const call = kube.create(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'n' },
  });
  call.catch(() => {});
  await expect.poll(() => server.received.length).toBe(1);
  kube.close();
  await expect(call).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE', details: { neverSent: false } });
});
