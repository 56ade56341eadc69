import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { testCertificates } from './test-certificates.ts';

/** One received request. */
export interface ReceivedRequest {
  method: string;
  /** Path and query as sent. */
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** Connection number from 1: the same number is the same connection. */
  connection: number;
  /** CN of the client's certificate, if it sent one. */
  clientName: string | undefined;
  /** Resolves when this request's connection has ended. */
  closed: Promise<void>;
  /** Breaks the connection with a TCP reset, below TLS. */
  reset(): void;
}

/** The server's reaction to one request: it may respond, stall, or break the connection. */
export type Behaviour = (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>;

/** A real HTTPS server on loopback that handles each request with the next behaviour in its list. */
export interface FaultServer {
  host: string;
  port: number;
  url: string;
  ca: string;
  readonly received: readonly ReceivedRequest[];
  /** Appends to the list. A request with an empty list gets a 500 that says so, so that it cannot go unnoticed. */
  next(...behaviours: Behaviour[]): FaultServer;
  /** A behaviour for every request from now on, before the list. */
  always(behaviour: Behaviour): FaultServer;
  close(): Promise<void>;
}

export async function faultServer(): Promise<FaultServer> {
  const { ca, server: own } = testCertificates();
  const received: ReceivedRequest[] = [];
  const queue: Behaviour[] = [];
  let everyTime: Behaviour | undefined;
  const sockets = new Map<Socket, { connection: number; closed: Promise<void> }>();
  /** Connections by the client's port. */
  const rawSockets = new Map<number, Socket>();
  let connections = 0;

  // Prefers HTTP/2, like an API server: a client that accepts it is not understood.
  const tls = { ...own, ca, requestCert: true, rejectUnauthorized: false, ALPNProtocols: ['h2', 'http/1.1'] };
  const server = createServer(tls, (message, response) => {
    const handle = async () => {
      const raw = rawSockets.get(message.socket.remotePort ?? 0);
      const { connection = 0, closed = Promise.resolve() } = sockets.get(message.socket) ?? {};
      const request = await take(message, { connection, closed, reset: () => raw?.resetAndDestroy() });
      received.push(request);
      const behaviour = everyTime ?? queue.shift() ?? unexpected;
      await behaviour(response, request);
    };
    // A client that disconnects in the middle of its request, or a defect in a behaviour: the client sees the end.
    handle().catch((error: Error) => response.destroy(error));
  });
  server.on('connection', (socket: Socket) => {
    const { remotePort = 0 } = socket;
    rawSockets.set(remotePort, socket);
    socket.once('close', () => rawSockets.delete(remotePort));
  });
  server.on('secureConnection', (socket) => {
    const ended = Promise.withResolvers<void>();
    sockets.set(socket, { connection: ++connections, closed: ended.promise });
    socket.once('close', () => {
      sockets.delete(socket);
      ended.resolve();
    });
    // Clients disconnect on purpose here.
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const self: FaultServer = {
    host: '127.0.0.1',
    port,
    url: `https://127.0.0.1:${port}`,
    ca,
    received,
    next: (...behaviours) => {
      queue.push(...behaviours);
      return self;
    },
    always: (behaviour) => {
      everyTime = behaviour;
      return self;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets.keys()) socket.destroy();
      }),
  };
  return self;
}

async function take(
  message: IncomingMessage,
  on: Pick<ReceivedRequest, 'connection' | 'closed' | 'reset'>,
): Promise<ReceivedRequest> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  const { subject } = (message.socket as TLSSocket).getPeerCertificate();
  return {
    ...on,
    method: message.method ?? '',
    url: message.url ?? '',
    headers: message.headers,
    body: Buffer.concat(parts).toString('utf8'),
    clientName: subject?.CN?.toString(),
  };
}

const unexpected: Behaviour = (response, { method, url }) => {
  response.writeHead(500, { 'content-type': 'text/plain' }).end(`the test did not expect ${method} ${url}`);
};
