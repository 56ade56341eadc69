import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { MadeCertificate } from './bad-server-certificates.ts';

/** How a server answers each request; it sends no Date header by itself. */
export type Handler = (request: IncomingMessage, response: ServerResponse, server: BadServer) => void;

/** Answers that are not HTTP: gets each connection as a socket. */
export interface RawBehaviour {
  raw(socket: Socket, server: BadServer): void;
}
export type Behaviour = Handler | RawBehaviour | 'nobody listens';

export interface BadServer {
  port: number;
  /** Number of requests so far, or of connections for a raw behaviour. */
  asked: number;
  /** Bytes that the server has sent. */
  written: number;
  /** Resolves when that many requests have arrived. */
  wasAsked(times: number): Promise<void>;
}

/** A server on loopback that runs until the test ends. */
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
    // Clients may disconnect at any time; these tests do so on purpose.
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
    // Answers only after the whole request was read; otherwise a client that is still sending sees a broken connection.
    request.resume().on('end', () => {
      count();
      behaviour(request, response, server);
    });
    request.on('error', () => {});
  };
  if (tls === undefined) return createServer(handle);
  // A failed handshake counts as a try too.
  return createTlsServer(tls, handle).on('tlsClientError', count);
}

/** Gives the same answer to each request. */
export const answers =
  (status: number, body: string | Buffer = '', headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    response.writeHead(status, headers).end(body);

/** Sends the same bytes to every client, and ignores what it receives. */
export const says = (...lines: string[]): RawBehaviour => ({
  raw: (socket) => void socket.on('data', () => {}).end(lines.join('\r\n')),
});

/** Sends data endlessly, as fast as the client reads it. Nothing is kept here. */
export function pours(socket: Socket | ServerResponse, piece: string | Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', more);
  more();
}
