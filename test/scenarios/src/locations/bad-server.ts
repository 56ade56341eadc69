import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { MadeCertificate } from './bad-server-certificates.ts';

/** How a server treats each request; it never sends a date by itself. */
export type Handler = (request: IncomingMessage, response: ServerResponse, server: BadServer) => void;

/** What is no HTTP, or less: each connection as it comes. */
export interface RawBehaviour {
  raw(socket: Socket, server: BadServer): void;
}
export type Behaviour = Handler | RawBehaviour | 'nobody listens';

export interface BadServer {
  port: number;
  /** Requests, or connections of a raw one, so far. */
  asked: number;
  /** Bytes that left it. */
  written: number;
  /** Resolves when it was asked so often. */
  wasAsked(times: number): Promise<void>;
}

/** A server on loopback that lives as long as the test. */
export async function badServer(behaviour: Behaviour, tls?: MadeCertificate): Promise<BadServer> {
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  const server: BadServer = {
    port: 0,
    asked: 0,
    written: 0,
    wasAsked: async (times) => {
      while (server.asked < times) await new Promise<void>((resolve) => waiting.add(resolve));
    },
  };
  const count = () => {
    server.asked += 1;
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  const listening = listener(behaviour, { tls, server, count });
  listening.on('connection', (socket: Socket) => {
    sockets.add(socket);
    // Whoever asks may go away at any time; that is a part of these tests.
    socket.on('error', () => {});
    socket.on('close', () => {
      server.written += socket.bytesWritten;
      sockets.delete(socket);
    });
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  server.port = (listening.address() as AddressInfo).port;
  if (behaviour === 'nobody listens') {
    await new Promise((closed) => listening.close(closed));
    return server;
  }
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => listening.close(closed));
  });
  return server;
}

function listener(
  behaviour: Behaviour,
  { tls, server, count }: { tls: MadeCertificate | undefined; server: BadServer; count: () => void },
): Server {
  if (behaviour === 'nobody listens') return createNetServer();
  if ('raw' in behaviour) {
    return createNetServer((socket) => {
      count();
      behaviour.raw(socket, server);
    });
  }
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    response.sendDate = false;
    // Only what was read whole is answered, or a client that still sends sees a broken connection instead.
    request.resume().on('end', () => {
      count();
      behaviour(request, response, server);
    });
    request.on('error', () => {});
  };
  if (tls === undefined) return createServer(handle);
  // A handshake that fails is a try too.
  return createTlsServer(tls, handle).on('tlsClientError', count);
}

/** Answers each request alike. */
export const answers =
  (status: number, body: string | Buffer = '', headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    response.writeHead(status, headers).end(body);

/** Says the same bytes to whoever connects, and waits for what comes. */
export const says = (...lines: string[]): RawBehaviour => ({
  raw: (socket) => void socket.on('data', () => {}).end(lines.join('\r\n')),
});

/** Writes on and on, as fast as it is read. Nothing of it is kept here. */
export function pours(socket: Socket | ServerResponse, piece: string | Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', more);
  more();
}
