import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Clock } from '@lateen/kernel';
import { type TokenBucket, tokenBucket } from '@lateen/object-store';
import { distantConnection } from './distant-connection.ts';
import type { RequestFault, StoreConditions } from './store-conditions.ts';
import { noFigures, type StoreFigures } from './store-figures.ts';
import type { StoreRequest } from './store-request.ts';

export interface DistantStoreOptions {
  /** `host:port` of the store. */
  upstream: string;
  clock: Clock;
  conditions?: StoreConditions;
}

export interface DistantStore extends AsyncDisposable {
  /** `host:port`. */
  endpoint: string;
  /** Applies from now on, also to open connections. */
  set(conditions: StoreConditions): void;
  figures(): StoreFigures;
  /** Resets the counters. */
  reset(): void;
  /** Called with each request; may return a fault that replaces the answer. */
  onRequest: ((request: StoreRequest) => RequestFault | undefined) | undefined;
}

/** A proxy that makes a store on this machine behave like a distant one; see the README. */
export async function startDistantStore({
  upstream,
  clock,
  conditions = {},
}: DistantStoreOptions): Promise<DistantStore> {
  const [host = '127.0.0.1', port] = upstream.split(':');
  /** Each connection has its own rate. */
  const sockets = new Map<Socket, TokenBucket>();
  const down = tokenBucket(conditions.bytesPerSecond, clock);
  let current = conditions;
  let figures = noFigures();
  const store: DistantStore = {
    endpoint: '',
    set: (next) => {
      current = next;
      down.setRate(next.bytesPerSecond);
      for (const [socket, own] of sockets) {
        own.setRate(next.connectionBytesPerSecond);
        if (next.unreachable === true) socket.destroy();
      }
    },
    figures: () => ({ ...figures, methods: { ...figures.methods } }),
    reset: () => {
      figures = noFigures();
    },
    onRequest: undefined,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets.keys()) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
  const server = createServer({ noDelay: true }, (socket) => {
    // Clients may disconnect at any time.
    socket.on('error', () => {});
    if (current.unreachable === true) {
      socket.destroy();
      return;
    }
    const own = tokenBucket(current.connectionBytesPerSecond, clock);
    sockets.set(socket, own);
    socket.on('close', () => sockets.delete(socket));
    figures.connections++;
    figures.connectionsMax = Math.max(figures.connectionsMax, sockets.size);
    distantConnection({
      client: socket,
      upstream: { host, port: Number(port) },
      clock,
      down,
      own,
      latencyMs: () => current.latencyMs ?? 0,
      figures: () => figures,
      onRequest: (request) => store.onRequest?.(request),
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  store.endpoint = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return store;
}
