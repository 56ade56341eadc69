import { connect, type Socket } from 'node:net';
import type { Clock } from '@lateen/kernel';
import type { TokenBucket } from '@lateen/object-store';
import type { RequestFault } from './store-conditions.ts';
import type { StoreFigures } from './store-figures.ts';
import { type StoreRequest, storeRequest } from './store-request.ts';

export interface DistantConnectionOptions {
  client: Socket;
  upstream: { host: string; port: number };
  clock: Clock;
  /** Rate of all answers, and of those on this connection. */
  down: TokenBucket;
  own: TokenBucket;
  latencyMs(): number;
  figures(): StoreFigures;
  onRequest(request: StoreRequest): RequestFault | undefined;
}

/** One connection through the proxy, until either side ends it. Whose turn it is decides whether data is a request or a body. */
export function distantConnection(options: DistantConnectionOptions): void {
  const { client, upstream } = options;
  const server = connect({ ...upstream, noDelay: true });
  server.on('error', () => client.destroy());
  client.on('close', () => server.destroy());
  const turn: Turn = { answered: true, left: Number.POSITIVE_INFINITY, swallows: false };
  // Either side may disconnect at any time; the other side is then closed.
  const end = () => {
    client.destroy();
    server.destroy();
  };
  requests(options, server, turn).catch(end);
  answers(options, server, turn).catch(end);
}

interface Turn {
  /** Data of an answer has been sent since the last request, so the next data of the client is a request. */
  answered: boolean;
  /** Bytes of the answer before the connection is cut. */
  left: number;
  /** The proxy itself has answered the request; its body is discarded. */
  swallows: boolean;
}

async function requests(options: DistantConnectionOptions, server: Socket, turn: Turn): Promise<void> {
  const { client, clock, latencyMs } = options;
  if (latencyMs() > 0) await clock.sleep(latencyMs());
  for await (const piece of client as AsyncIterable<Buffer>) {
    options.figures().receivedBytes += piece.length;
    const request = turn.answered ? storeRequest(piece) : undefined;
    if (request !== undefined) {
      Object.assign(turn, { answered: false, swallows: false });
      count(request, options.figures());
      if (latencyMs() > 0) await clock.sleep(latencyMs());
      const fault = options.onRequest(request);
      if (fault !== undefined) await apply(fault, client, turn);
    }
    if (!turn.swallows) await write(server, piece);
  }
  server.end();
}

async function apply(fault: RequestFault, client: Socket, turn: Turn): Promise<void> {
  if ('cutAfterBytes' in fault) {
    turn.left = fault.cutAfterBytes;
    return;
  }
  turn.swallows = true;
  if ('silent' in fault) return;
  const body = `<Error><Code>${fault.code}</Code><Message>as told</Message></Error>`;
  const head = `HTTP/1.1 ${fault.status} Fault\r\ncontent-type: application/xml\r\ncontent-length: ${body.length}\r\n\r\n`;
  turn.answered = true;
  await write(client, Buffer.from(head + body));
}

async function answers(options: DistantConnectionOptions, server: Socket, turn: Turn): Promise<void> {
  const { client, down, own } = options;
  for await (const piece of server as AsyncIterable<Buffer>) {
    turn.answered = true;
    if (down.bytesPerSecond !== undefined) await down.take(piece.length);
    if (own.bytesPerSecond !== undefined) await own.take(piece.length);
    const passes = piece.subarray(0, turn.left);
    turn.left -= passes.length;
    options.figures().sentBytes += passes.length;
    await write(client, passes);
    if (turn.left === 0) {
      client.destroySoon();
      return;
    }
  }
  // Only after everything has been forwarded: the store may close the connection long before.
  client.end();
}

/** Resolves when the socket accepts more data, or is closed. */
async function write(socket: Socket, piece: Uint8Array): Promise<void> {
  if (socket.write(piece) || socket.destroyed) return;
  await new Promise<void>((resolve) => {
    const go = () => {
      socket.off('drain', go);
      socket.off('close', go);
      resolve();
    };
    socket.on('drain', go);
    socket.on('close', go);
  });
}

function count(request: StoreRequest, figures: StoreFigures): void {
  figures.requests++;
  figures.methods[request.method] = (figures.methods[request.method] ?? 0) + 1;
  if (request.range !== undefined) figures.ranges++;
}
