import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { AppError } from '@lateen/errors';
import { type Clock, unlessAborted } from '@lateen/kernel';
import type { Service } from './service.ts';
import { protectSocket, removeStaleSocket, socketPathOf } from './unix-endpoint.ts';

/** A server that is listening. */
export interface UnixServer {
  path: string;
  /**
   * Takes no more calls, waits up to `graceMs` for the running ones, then drops their connections.
   * The socket file is gone afterwards. Safe to repeat.
   */
  stop(graceMs: number): Promise<void>;
}

/**
 * Serves gRPC on a unix socket; the directory is made, a stale socket is replaced, the file is for root only.
 * @throws AppError `INVALID_ENDPOINT`, `SOCKET_IN_USE`, `SOCKET_PATH_TAKEN`, `LISTEN_FAILED`.
 */
export async function serveUnix(endpoint: string, services: readonly Service[], clock: Clock): Promise<UnixServer> {
  const path = socketPathOf(endpoint);
  await mkdir(dirname(path), { recursive: true });
  await removeStaleSocket(path);
  const server = new Server();
  for (const { definition, implementation } of services) server.addService(definition, implementation);
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) => {
      if (error === null) resolve();
      else reject(new AppError('LISTEN_FAILED', `cannot listen on ${path}`, { cause: error }));
    });
  });
  await protectSocket(path);
  let stopped: Promise<void> | undefined;
  return {
    path,
    stop: (graceMs) => {
      stopped ??= shutDown(server, graceMs, clock);
      return stopped;
    },
  };
}

async function shutDown(server: Server, graceMs: number, clock: Clock): Promise<void> {
  const calm = new Promise<void>((resolve, reject) =>
    server.tryShutdown((error) => (error === undefined ? resolve() : reject(error))),
  );
  const late = clock.deadline(graceMs);
  await unlessAborted(calm, late);
  if (late.aborted) server.forceShutdown();
}
