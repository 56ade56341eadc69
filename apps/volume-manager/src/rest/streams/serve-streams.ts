import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, describeError } from '@lateen/errors';
import { redactText } from '@lateen/kernel';
import { toErrorBody } from '@lateen/storage-rest';
import type { FastifyInstance } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import { WebSocketServer } from 'ws';
import type { Access } from '../access/access.ts';
import { readNeed } from '../routes/collection-routes.ts';
import { missing } from '../routes/missing.ts';
import { baseOf, requireSynced } from '../serving/rest-app.ts';
import type { RestPorts } from '../serving/rest-call.ts';
import { restLimits } from '../serving/rest-limits.ts';
import { runStream } from './run-stream.ts';
import { SharedBodies } from './shared-bodies.ts';
import { streamLimits } from './stream-limits.ts';
import { streamPathOf } from './stream-path.ts';

export interface StreamsOptions {
  readonly ports: RestPorts;
  readonly access: Access;
  readonly registry: Registry;
  /** Ends all streams. */
  readonly signal: AbortSignal;
}

/** Answers requests for a websocket on the server of `app` (longhorn-api.md section 12). Resolves when all streams have ended, after `signal` has aborted. */
export function serveStreams(app: FastifyInstance, options: StreamsOptions): { ended(): Promise<void> } {
  const { ports, registry, signal } = options;
  const accepted = new WebSocketServer({
    noServer: true,
    maxPayload: streamLimits.framesBytesMax,
    // Compression costs memory for each client, and clients are near.
    perMessageDeflate: false,
    clientTracking: false,
  });
  const bodies = new SharedBodies(ports.reader, ports.clock);
  const running = new Set<Promise<void>>();
  let open = 0;
  const registers = [registry];
  new Gauge({
    name: 'lateen_storage_rest_streams',
    help: 'Clients that follow a collection by a websocket',
    registers,
    collect() {
      this.set(open);
    },
  });
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // The client may disconnect while it is being authenticated.
    socket.on('error', () => socket.destroy());
    const begin = async () => {
      if (open >= streamLimits.streamsMax) throw tooMany();
      open += 1;
      try {
        const stream = await admit(request, options);
        if (socket.destroyed) return;
        await new Promise<void>((resolve, reject) => {
          socket.once('close', () => resolve());
          accepted.handleUpgrade(request, socket, head, (client) => {
            runStream({ ...stream, socket: client, bodies, clock: ports.clock, signal }).then(resolve, reject);
          });
        });
      } finally {
        open -= 1;
      }
    };
    const work = begin().catch((error: unknown) => refuse(error, request, socket, ports));
    running.add(work);
    void work.finally(() => running.delete(work));
  });
  return {
    ended: async () => {
      await Promise.all(running);
    },
  };
}

const tooMany = () =>
  new AppError('REST_BUSY', `${streamLimits.streamsMax} clients follow collections here: no more are taken`);

/** The collection that the client may follow. @throws REST_NOT_FOUND, REST_UNAUTHORIZED, REST_FORBIDDEN */
async function admit(request: IncomingMessage, { ports, access, signal }: StreamsOptions) {
  const { url = '', headers } = request;
  const path = streamPathOf(url);
  if (path === undefined) throw missing('streams', url.split('?', 1)[0] ?? '');
  requireSynced(ports);
  const ends = AbortSignal.any([signal, ports.clock.deadline(restLimits.requestMs)]);
  await access.admit(headers.authorization, [readNeed(path.collection, 'list')], ends);
  return { ...path, base: baseOf(url, headers, ports) };
}

/** Before anything was sent, answers like any other request; cuts off a stream that is open. */
function refuse(error: unknown, request: IncomingMessage, socket: Duplex, ports: RestPorts): void {
  const { url = '', headers } = request;
  ports.log.debug({ path: url.split('?', 1)[0], error: redactText(describeError(error)) }, 'a stream has ended');
  if (socket.destroyed) return;
  const { status, body } = toErrorBody(error, `${baseOf(url, headers, ports)}${url.split('?', 1)[0]}`);
  const text = JSON.stringify(body);
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, 'Connection: close', 'Content-Type: text/plain'];
  socket.end([...lines, `Content-Length: ${Buffer.byteLength(text)}`, '', text].join('\r\n'));
}
