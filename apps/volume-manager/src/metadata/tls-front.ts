import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { connect, createServer, type Server, type TLSSocket } from 'node:tls';
import { createAuthority, issue, type KeyPair } from '@lateen/certificates';
import { AppError } from '@lateen/errors';
import type { Clock, Logger } from '@lateen/kernel';

/** Where the sidecar listens; it cannot be told another address than all of the pod. */
export const sidecarPort = 50_051;

/** Connections at a time: one per upload that asks. More wait in the queue of the kernel. */
const connectionsMax = 256;

/** gRPC is HTTP/2. */
const protocols = { ALPNProtocols: ['h2'] };

/**
 * Writes a new certificate for `localhost` where the sidecar reads it, and returns the authority that the front trusts. Before the sidecar can reach the
 * driver's socket: it reads both files once, after that.
 */
export async function writeSidecarCertificate(directory: string, clock: Clock): Promise<string> {
  const authority = await createAuthority('csi-snapshot-metadata', clock.now());
  const pair = await issue(authority, { subject: 'CN=localhost', dnsNames: ['localhost'] }, clock.now());
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, 'tls.key'), pair.key, { mode: 0o600 });
  await writeFile(join(directory, 'tls.crt'), pair.certificate, { mode: 0o600 });
  return authority.certificate;
}

export interface FrontOptions {
  /** Default: all addresses. */
  readonly host?: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** The sidecar, and the authority of its certificate. */
  readonly sidecar: { readonly port: number; readonly ca: string };
  readonly log: Logger;
}

/**
 * Takes connections with a certificate that can be replaced at any time, and hands their bytes to the sidecar over TLS of its own. The sidecar reads its certificate only when it
 * starts, and nothing but a new container starts it again.
 */
export class TlsFront implements AsyncDisposable {
  readonly #server: Server;
  readonly #open = new Set<TLSSocket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @throws AppError `LISTEN_FAILED` */
  static async listen({ host, port, sidecar, log }: FrontOptions, pair: KeyPair): Promise<TlsFront> {
    const front = new TlsFront(createServer({ ...protocols, cert: pair.certificate, key: pair.key }));
    const server = front.#server;
    server.maxConnections = connectionsMax;
    server.on('secureConnection', (client) => void front.#forward(client, sidecar, log));
    const listening = Promise.withResolvers<void>();
    server.once('error', listening.reject).listen({ port, ...(host === undefined ? {} : { host }) }, listening.resolve);
    await listening.promise.catch((cause: unknown) => {
      throw new AppError('LISTEN_FAILED', `cannot listen on port ${port}`, { cause });
    });
    server.on('error', (err) => log.warn({ err }, 'a connection for the SnapshotMetadata sidecar could not be taken'));
    return front;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  }

  /** For connections that begin from now on. */
  show({ certificate: cert, key }: KeyPair): void {
    this.#server.setSecureContext({ cert, key });
  }

  async #forward(client: TLSSocket, { port, ca }: FrontOptions['sidecar'], log: Logger): Promise<void> {
    const sidecar = connect({ host: '127.0.0.1', port, ca, servername: 'localhost', ...protocols });
    this.#open.add(client);
    try {
      await Promise.all([pipeline(client, sidecar), pipeline(sidecar, client)]);
    } catch (err) {
      // Also how a caller ends that has got enough; it learns of a sidecar that is away by the end of its connection.
      log.debug({ err }, 'a connection to the SnapshotMetadata sidecar ended early');
    } finally {
      client.destroy();
      sidecar.destroy();
      this.#open.delete(client);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const client of this.#open) client.destroy();
    await closed;
  }
}
