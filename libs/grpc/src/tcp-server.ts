import type { Clock } from '@lateen/kernel';
import { listen } from './listen.ts';
import type { Service } from './service.ts';
import { stopper } from './stop-server.ts';
import { type TlsFiles, tlsServer } from './tls-files.ts';

/** A server that is listening. */
export interface TcpServer {
  port: number;
  /** Takes no more calls, waits up to `graceMs` for the running ones, then drops their connections. Safe to repeat. */
  stop(graceMs: number): Promise<void>;
}

export interface TcpPlace {
  /** Address to listen on. */
  host: string;
  /** 0 takes any free one. */
  port: number;
  tls: TlsFiles;
}

/**
 * Serves gRPC over TCP to clients whose certificate the authority of `tls` has signed; there is no way without TLS.
 * @throws AppError `TLS_FILES`, `LISTEN_FAILED`.
 */
export async function serveTcp(
  { host, port, tls }: TcpPlace,
  services: readonly Service[],
  clock: Clock,
): Promise<TcpServer> {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const { server, port: bound } = await listen(address, address, await tlsServer(tls), services);
  return { port: bound, stop: stopper(server, clock) };
}
