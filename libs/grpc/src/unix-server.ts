import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';
import type { Clock } from '@lateen/kernel';
import { listen, type ServeLimits } from './listen.ts';
import type { Service } from './service.ts';
import { stopper } from './stop-server.ts';
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
export async function serveUnix(
  endpoint: string,
  services: readonly Service[],
  clock: Clock,
  limits: ServeLimits = {},
): Promise<UnixServer> {
  const path = socketPathOf(endpoint);
  await mkdir(dirname(path), { recursive: true });
  await removeStaleSocket(path);
  const { server } = await listen(`unix:${path}`, path, ServerCredentials.createInsecure(), services, limits);
  await protectSocket(path);
  return { path, stop: stopper(server, clock) };
}
