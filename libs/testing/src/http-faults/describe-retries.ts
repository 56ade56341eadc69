import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answers, breaksOff, hangs, hangsAfter, refuses, resets } from './behaviours.ts';
import { configMap, configMaps, emptyList, type FaultWorld, faultWorld, type MakeFaultApi } from './fault-harness.ts';

export function describeRetries(makeApi: MakeFaultApi): void {
  describe('repeating calls', () => {
    let world: FaultWorld;
    beforeEach(async () => {
      world = await faultWorld(makeApi);
    });
    afterEach(() => world.end());

    const list = () => world.api.list(configMaps, { namespace: 'ns' });
    const create = () => world.api.create(configMaps, configMap('a'));

    it('repeats a read after a reset connection', async () => {
      world.server.next(resets, resets, answers(200, emptyList));
      expect((await world.settle(list())).value.items).toEqual([]);
      expect(world.server.received).toHaveLength(3);
    });

    it('repeats a read whose response was cut off', async () => {
      world.server.next(breaksOff('{"kind":"ConfigMapList",'), answers(200, emptyList));
      expect((await world.settle(list())).value.resourceVersion).toBe('7');
    });

    it('sends a write once when its connection was reset, and reports that the result is unknown', async () => {
      world.server.next(resets);
      const error = await world.failure(create());
      expect(error).toMatchObject({ code: 'KUBE_UNAVAILABLE', retry: 'soon', details: { neverSent: false } });
      expect(error.message).toContain(`cannot create configmaps ns/a at the API server ${world.server.url}`);
      expect(world.server.received).toHaveLength(1);
    });

    it('gives up an unreachable server after a limited number of attempts, and names what to check', async () => {
      await world.server.close();
      const error = await world.failure(create());
      expect(error.message).toContain('connection refused');
      expect(error.nextStep).toContain('Check that the API server is running');
      expect(error.tookMs).toBeGreaterThan(1_000);
      expect(error.tookMs).toBeLessThanOrEqual(30_000);
    });

    it.each([
      ['seconds', () => ({ 'retry-after': '3' })],
      ['a date', () => ({ 'retry-after': new Date(world.clock.now() + 3_000).toUTCString() })],
    ])('repeats a write that got 429, after the delay that Retry-After gives in %s', async (_form, headers) => {
      world.server.next(refuses(429, 'TooManyRequests', { headers: headers() }), answers(201, configMap('a')));
      const { value, tookMs } = await world.settle(create());
      expect(value.metadata.name).toBe('a');
      expect(tookMs).toBeGreaterThanOrEqual(3_000);
      expect(tookMs).toBeLessThan(4_000);
    });

    it('repeats a read after 503, with growing delays', async () => {
      world.server.next(
        refuses(503, 'ServiceUnavailable'),
        refuses(503, 'ServiceUnavailable'),
        answers(200, emptyList),
      );
      const { tookMs } = await world.settle(list());
      expect(tookMs).toBeGreaterThanOrEqual(300);
      expect(world.server.received).toHaveLength(3);
    });

    it('repeats a write after 503 only with Retry-After', async () => {
      world.server.next(refuses(503, 'ServiceUnavailable'));
      expect(await world.failure(create())).toMatchObject({ code: 'KUBE_UNAVAILABLE', details: { httpStatus: 503 } });
      world.server.next(refuses(503, 'x', { headers: { 'retry-after': '1' } }), answers(201, configMap('a')));
      await world.settle(create());
      expect(world.server.received).toHaveLength(3);
    });

    it('does not wait when the server asks for more time than is left', async () => {
      world.server.next(refuses(429, 'TooManyRequests', { headers: { 'retry-after': '3600' } }));
      const error = await world.failure(list());
      expect(error).toMatchObject({ code: 'KUBE_TOO_MANY_REQUESTS', details: { retryAfterMs: 3_600_000 } });
      expect(error.tookMs).toBe(0);
    });

    it('ends after a limited number of attempts on a server that is always busy', async () => {
      world.server.always(refuses(429, 'TooManyRequests'));
      expect((await world.failure(list())).code).toBe('KUBE_TOO_MANY_REQUESTS');
      expect(world.server.received.length).toBeGreaterThan(3);
      expect(world.server.received.length).toBeLessThanOrEqual(8);
    });

    it.each([
      ['before the response', hangs],
      ['inside the response', hangsAfter('{"items":[')],
    ])('waits a limited time for a server that stops sending %s', async (_when, behaviour) => {
      world.server.next(behaviour, answers(200, emptyList));
      await world.settle(list());
      expect(world.server.received).toHaveLength(2);
    });

    it('does not repeat what cannot succeed', async () => {
      world.server.next(refuses(422, 'Invalid', { message: 'ConfigMap "a" is invalid' }));
      expect(await world.failure(create())).toMatchObject({
        code: 'KUBE_INVALID',
        message: 'ConfigMap "a" is invalid',
      });
      world.server.next(refuses(500, 'InternalError'));
      expect(await world.failure(list())).toMatchObject({ code: 'KUBE_SERVER_ERROR' });
      expect(world.server.received).toHaveLength(2);
    });

    it('ends a delay between two attempts at once when the caller aborts', async () => {
      world.server.always(refuses(429, 'TooManyRequests', { headers: { 'retry-after': '20' } }));
      const stop = new AbortController();
      const call = world.api.list(configMaps, { signal: stop.signal });
      call.catch(() => {});
      while (world.clock.pending === 0) await new Promise(setImmediate);
      stop.abort(new Error('enough'));
      await expect(call).rejects.toThrow('enough');
      expect(world.clock.pending).toBe(0);
    });

    it('aborts a running request when the caller aborts', async () => {
      world.server.next(hangs);
      const stop = new AbortController();
      const call = world.api.create(configMaps, configMap('a'), { signal: stop.signal });
      call.catch(() => {});
      while (world.server.received.length === 0) await new Promise(setImmediate);
      stop.abort(new Error('enough'));
      await expect(call).rejects.toThrow('enough');
      await world.server.received[0]?.closed;
    });
  });
}
