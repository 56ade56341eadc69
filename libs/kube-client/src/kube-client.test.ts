import { silentLogger, systemClock } from '@lateen/kernel';
import { behaviours, type FaultServer, faultServer, seededRandom } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configForTests } from './config-for-tests.ts';
import { type KubeClient, type KubeClientOptions, kubeClient } from './kube-client.ts';

const { answers, hangs, streams } = behaviours;
const configMaps = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true } as const;
const emptyList = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items: [] };

describe('kubeClient', () => {
  let server: FaultServer;
  const open: KubeClient[] = [];
  beforeEach(async () => {
    server = await faultServer();
  });
  afterEach(async () => {
    await server.close();
    for (const client of open.splice(0)) await client.close();
  });

  function client(options: Partial<KubeClientOptions> = {}) {
    const config = configForTests(server);
    const made = kubeClient({ config, clock: systemClock, random: seededRandom(1), log: silentLogger, ...options });
    open.push(made);
    return made;
  }

  describe('concurrency', () => {
    it('limits the calls in progress per priority, and lets another priority pass', async () => {
      const kube = client({ limits: { concurrency: { control: 1, normal: 2, bulk: 1 } } });
      const pending: (() => void)[] = [];
      server.always((response, request) => {
        const answer = () => answers(200, emptyList)(response, request);
        if (request.url.includes('urgent')) return answer();
        pending.push(() => void answer());
      });
      const calls = Array.from({ length: 5 }, () => kube.list(configMaps));
      await expect.poll(() => pending.length).toBe(2);
      await kube.withPriority('control').list(configMaps, { labelSelector: 'urgent' });
      expect(pending).toHaveLength(2);
      let answered = 0;
      for (; answered < 5; answered++) {
        await expect.poll(() => pending.length).toBe(Math.min(answered + 2, 5));
        pending[answered]?.();
      }
      await Promise.all(calls);
    });

    it('releases the slot when a call fails or is aborted', async () => {
      const limits = { concurrency: { control: 1, normal: 1, bulk: 1 }, headersTimeoutMs: 60_000 };
      const kube = client({ limits });
      server.next(hangs, behaviours.refuses(500, 'x'), answers(200, 'torn{'), answers(200, emptyList));
      const stop = new AbortController();
      const call = kube.list(configMaps, { signal: stop.signal });
      const queued = new AbortController();
      const waiting = kube.list(configMaps, { signal: queued.signal });
      queued.abort(new Error('not any more'));
      await expect(waiting).rejects.toThrow('not any more');
      await expect.poll(() => server.received.length).toBe(1);
      stop.abort(new Error('enough'));
      await expect(call).rejects.toThrow('enough');
      await expect(kube.list(configMaps)).rejects.toMatchObject({ code: 'KUBE_SERVER_ERROR' });
      await expect(kube.list(configMaps)).rejects.toMatchObject({ code: 'KUBE_BAD_ANSWER' });
      expect((await kube.list(configMaps)).items).toEqual([]);
    });

    it('rejects calls when the queue is full', async () => {
      const kube = client({
        limits: { concurrency: { control: 1, normal: 1, bulk: 1 }, waitingMax: 1, retry: noRetry },
      });
      server.always(hangs);
      const stop = new AbortController();
      const calls = [1, 2, 3].map(() => kube.list(configMaps, { signal: stop.signal }));
      await expect(calls[2]).rejects.toMatchObject({ code: 'KUBE_TOO_MANY_REQUESTS' });
      stop.abort(new Error('enough'));
      await Promise.allSettled(calls);
    });
  });

  describe('closing', () => {
    it('ends open watches, and rejects further calls at once', async () => {
      const stream = streams();
      server.next(stream.behaviour);
      const kube = client();
      const watching = kube
        .watch(configMaps, { resourceVersion: '1', timeoutSeconds: 300 })
        [Symbol.asyncIterator]()
        .next();
      watching.catch(() => {});
      await stream.opened;
      await kube.close();
      await expect(watching).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE' });
      await expect(kube.list(configMaps)).rejects.toMatchObject({
        code: 'KUBE_UNAVAILABLE',
        message: expect.stringContaining('was closed'),
      });
    });

    it('lets a running call complete', async () => {
      const kube = client();
      server.next(async (response, request) => {
        await systemClock.sleep(200);
        await answers(200, emptyList)(response, request);
      });
      const call = kube.list(configMaps);
      await expect.poll(() => server.received.length).toBe(1);
      await kube.close();
      expect((await call).items).toEqual([]);
    });
  });
});

const noRetry = { attemptsMax: 1, budgetMs: 0, backoff: { firstMs: 1, maxMs: 1, factor: 1, jitter: 0 } };
