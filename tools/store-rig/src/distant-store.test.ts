import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@lateen/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DistantStore, startDistantStore } from './distant-store.ts';
import { spawnDistantStore } from './distant-store-process.ts';
import { storeRequest } from './store-request.ts';

let server: Server;
let store: DistantStore;
let upstream: string;
/** Request bodies that have arrived. */
let arrived: string[];
/** Number of requests that must have arrived before any is answered. */
let together: number;

beforeEach(async () => {
  arrived = [];
  together = 0;
  let waiting: (() => void)[] = [];
  server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    if (request.method === 'PUT') arrived.push(body);
    await new Promise<void>((go) => {
      waiting.push(go);
      if (waiting.length < together) return;
      for (const each of waiting) each();
      waiting = [];
    });
    response.end(request.method === 'PUT' ? '' : 'x'.repeat(100_000));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  upstream = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  store = await startDistantStore({ upstream, clock: systemClock });
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const get = async (path = '/b/k', init: RequestInit = {}) => {
  const answer = await fetch(`http://${store.endpoint}${path}`, init);
  return { status: answer.status, text: await answer.text() };
};
const msOf = async (act: () => Promise<unknown>): Promise<number> => {
  const startMs = systemClock.monotonicMs();
  await act();
  return systemClock.monotonicMs() - startMs;
};

describe('the proxy that simulates a distant store', () => {
  it('forwards requests and answers, and counts them', async () => {
    expect((await get()).text).toHaveLength(100_000);
    await get('/b/k', { headers: { range: 'bytes=0-9' } });
    // A body that looks like a request is not counted as one.
    const body = 'GET /b/other HTTP/1.1\r\n\r\n';
    expect((await get('/b/k', { method: 'PUT', body })).status).toBe(200);
    expect(arrived).toEqual([body]);
    expect(store.figures()).toMatchObject({ requests: 3, methods: { GET: 2, PUT: 1 }, ranges: 1 });
    expect(store.figures().sentBytes).toBeGreaterThan(200_000);
    store.reset();
    expect(store.figures().requests).toBe(0);
  });

  it('delays each request by at least its latency', async () => {
    await get();
    store.set({ latencyMs: 60 });
    const ms = await msOf(async () => {
      for (let request = 0; request < 3; request++) await get();
    });
    // Timers of Node fire up to a millisecond early.
    expect(ms).toBeGreaterThan(3 * 59);
  });

  it('delays parallel requests in parallel, not one after the other', async () => {
    store.set({ latencyMs: 20 });
    together = 20;
    await Promise.all(Array.from({ length: together }, () => get()));
    expect(store.figures().connectionsMax).toBe(together);
  });

  it('limits the rate of the store and of each connection', async () => {
    store.set({ bytesPerSecond: 200_000 });
    await get();
    await get();
    // The first second's worth passes immediately; the other 100,000 bytes take their time.
    expect(await msOf(() => get())).toBeGreaterThan(400);
    store.set({ connectionBytesPerSecond: 50_000 });
    expect(await msOf(() => get())).toBeGreaterThan(900);
  });

  it('forwards everything that a store sent before it closed the connection', async () => {
    // The first 40,000 bytes pass immediately.
    store.set({ bytesPerSecond: 40_000 });
    expect((await get('/b/k', { headers: { connection: 'close' } })).text).toHaveLength(100_000);
  });

  it('applies the fault that it is told to a request, and the next one is answered', async () => {
    store.onRequest = ({ path }) => (path === '/b/slow' ? { status: 503, code: 'SlowDown' } : undefined);
    expect(await get('/b/slow')).toMatchObject({ status: 503, text: expect.stringContaining('SlowDown') });
    expect((await get('/b/slow', { method: 'PUT', body: 'lost' })).status).toBe(503);
    expect((await get()).status).toBe(200);
    expect(arrived).toEqual([]);
    store.onRequest = () => ({ cutAfterBytes: 500 });
    await expect(get()).rejects.toThrow();
    store.onRequest = () => ({ silent: true });
    await expect(get('/b/k', { signal: systemClock.deadline(100) })).rejects.toThrow();
    store.onRequest = undefined;
    expect((await get()).status).toBe(200);
  });

  it('can become unreachable and reachable again', async () => {
    await get();
    store.set({ unreachable: true });
    await expect(get()).rejects.toThrow();
    store.set({});
    expect((await get()).status).toBe(200);
  });

  it('can run in a separate process', async () => {
    await using spawned = await spawnDistantStore(upstream);
    await spawned.set({ latencyMs: 20 });
    await fetch(`http://${spawned.endpoint}/b/k`).then((answer) => answer.text());
    expect(await spawned.figures()).toMatchObject({ requests: 1, methods: { GET: 1 } });
    await spawned.reset();
    expect((await spawned.figures()).requests).toBe(0);
    expect(spawned.pid).not.toBe(process.pid);
  });
});

describe('storeRequest', () => {
  it('reads the first line and the range of a request, and nothing else', () => {
    const of = (text: string) => storeRequest(Buffer.from(text));
    expect(of('GET /b/kopia/p1?x-id=GetObject HTTP/1.1\r\nHost: a\r\nRange: bytes=5-9\r\n\r\n')).toEqual({
      method: 'GET',
      path: '/b/kopia/p1',
      query: 'x-id=GetObject',
      range: 'bytes=5-9',
    });
    expect(of('HEAD / HTTP/1.1\r\n\r\n')).toEqual({ method: 'HEAD', path: '/', query: '' });
    expect(of('some bytes of a body')).toBeUndefined();
    expect(of('')).toBeUndefined();
  });
});
