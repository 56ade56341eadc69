import { chmod } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import type { BlockServer, BlockTarget, UnixOrTcp } from '@lateen/block-engine';
import { AppError } from '@lateen/errors';
import type { Clock, Logger } from '@lateen/kernel';
import { endpointText } from '../endpoint.ts';
import { nameBytesMax } from '../wire/numbers.ts';
import { Connection } from './connection.ts';
import type { InFlightLimits } from './in-flight.ts';
import { ServedExport } from './served-export.ts';

export interface ServeLimits extends InFlightLimits {
  connectionsMax: number;
  /** From the connection to the choice of an export. */
  handshakeMs: number;
}

/** In flight, per export: what 16 requests of 4 MiB or 256 of 256 KiB take; a front end has 16 connections. */
export const serveLimitsDefault: ServeLimits = {
  requestsMax: 256,
  bytesMax: 64 * 1024 * 1024,
  connectionsMax: 64,
  handshakeMs: 10_000,
};

/** After this silence a peer over TCP is asked whether it is still there: one that vanished would hold its place for ever. */
const keepAliveMs = 30_000;

export interface ServeOptions {
  clock: Clock;
  log: Logger;
  limits?: Partial<ServeLimits>;
  /** Whether a client may ask for the names of all exports. Not where knowing a name is the proof of access. */
  listExports?: boolean;
}

/**
 * Serves targets over NBD. A unix socket is for its owner alone; its path must be free: the caller knows
 * whether the process that had it is gone. For the main thread: others cannot set the umask.
 * @throws AppError `LISTEN_FAILED`
 */
export async function serveBlocks(
  at: UnixOrTcp,
  exports: ReadonlyMap<string, BlockTarget>,
  o: ServeOptions,
): Promise<BlockServer> {
  const limits = { ...serveLimitsDefault, ...o.limits };
  const server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs });
  server.maxConnections = limits.connectionsMax;
  const served = new NbdServer(server, limits, o);
  for (const [name, target] of exports) served.addExport(name, target);
  await listen(server, at);
  if ('path' in at) await chmod(at.path, 0o600);
  served.endpoint = endpointOf(server, at);
  return served;
}

class NbdServer implements BlockServer {
  endpoint: UnixOrTcp = { path: '' };
  readonly #server: Server;
  readonly #limits: ServeLimits;
  readonly #exports = new Map<string, ServedExport>();
  readonly #connections = new Set<Connection>();

  constructor(server: Server, limits: ServeLimits, o: ServeOptions) {
    this.#server = server;
    this.#limits = limits;
    server.on('error', (error) => o.log.warn({ err: error }, 'the block server could not take a connection'));
    server.on('connection', (socket) => {
      const connection = new Connection({
        socket,
        find: (name) => this.#exports.get(name),
        list: () => (o.listExports === true ? [...this.#exports.keys()] : undefined),
        clock: o.clock,
        log: o.log,
        handshakeMs: limits.handshakeMs,
      });
      this.#connections.add(connection);
      void connection.ended.then(() => this.#connections.delete(connection));
    });
  }

  addExport(name: string, target: BlockTarget): void {
    if (this.#exports.has(name)) throw new AppError('EXPORT_EXISTS', 'an export of this name is served already');
    if (Buffer.byteLength(name) > nameBytesMax) throw new AppError('EXPORT_NAME', 'the name of the export is too long');
    this.#exports.set(name, new ServedExport(name, target, this.#limits));
  }

  async removeExport(name: string): Promise<void> {
    const served = this.#exports.get(name);
    this.#exports.delete(name);
    await served?.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const connections = [...this.#connections];
    this.#exports.clear();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const connection of connections) connection.cut();
    await Promise.all([closed, ...connections.map((connection) => connection.ended)]);
  }
}

function listen(server: Server, at: UnixOrTcp): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error) =>
      reject(new AppError('LISTEN_FAILED', `cannot listen on ${endpointText(at)}`, { cause: error }));
    server.once('error', failed);
    ownerOnly(() =>
      server.listen('path' in at ? { path: at.path } : { host: at.host, port: at.port }, () => {
        server.off('error', failed);
        resolve();
      }),
    );
  });
}

/** What `act` makes before it returns (`listen` binds a path at once) is not open to others even for a moment. */
function ownerOnly(act: () => void): void {
  const before = process.umask(0o077);
  try {
    act();
  } finally {
    process.umask(before);
  }
}

function endpointOf(server: Server, at: UnixOrTcp): UnixOrTcp {
  const address = server.address();
  if ('path' in at || address === null || typeof address === 'string') return at;
  return { host: at.host, port: address.port };
}
