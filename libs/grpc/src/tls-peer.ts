import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { checkServerIdentity, connect } from 'node:tls';
import { credentials } from '@grpc/grpc-js';
import { AppError } from '@lateen/errors';
import { clientOf, type ServiceClient } from './client.ts';
import { type GeneratedClient, tcpOptions } from './connect.ts';

/** A server that shows a certificate and asks for none: who calls it says so in its requests. */
export interface TlsPeer {
  /** `host:port`; the certificate must be for this host. An IPv6 address stands in brackets. */
  readonly address: string;
  /** The authorities that may have signed it, PEM. */
  readonly ca: string;
}

/**
 * Connects with TLS (lazily: the first call connects), never through a proxy. Dispose to close.
 * @throws AppError `TLS_PEER` for an address or authority that is none
 */
export function connectTls<Server>(peer: TlsPeer, makeClient: GeneratedClient): ServiceClient<Server> & Disposable {
  const { host, port } = placeOf(peer);
  const secure = credentials.createSsl(authority(peer), null, null, {
    checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
  });
  const options = { ...tcpOptions, 'grpc.enable_http_proxy': 0, ...nameFor(host) };
  return clientOf<Server>(new makeClient(`${bracketed(host)}:${port}`, secure, options), makeClient.service, {});
}

/** TLS has no addresses for server names (RFC 6066), and Node warns of one. What is checked is the certificate, for the address. */
const nameFor = (host: string) =>
  isIP(host) === 0 ? {} : { 'grpc.ssl_target_name_override': 'called-by-address.invalid' };

/**
 * What is wrong with the server's certificate, as OpenSSL or Node names it (`ERR_TLS_CERT_ALTNAME_INVALID`); undefined when nothing is, or when
 * the server does not answer. gRPC reports a certificate and a missing server alike, so ask here after UNAVAILABLE.
 */
export function certificateProblem(peer: TlsPeer, signal: AbortSignal): Promise<string | undefined> {
  signal.throwIfAborted();
  const { host, port } = placeOf(peer);
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const names = isIP(host) === 0 ? { servername: host } : {};
  // Nothing is sent over this connection; it ends when its verification is known.
  const socket = connect({
    host,
    port,
    ca: authority(peer),
    ...names,
    ALPNProtocols: ['h2'],
    rejectUnauthorized: false,
  });
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  socket.once('secureConnect', () => resolve(socket.authorized ? undefined : String(socket.authorizationError)));
  socket.on('error', () => resolve(undefined));
  socket.once('close', () => resolve(undefined));
  return promise.finally(() => {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  });
}

function placeOf({ address }: TlsPeer): { host: string; port: number } {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[^\s:/[\]]+):(\d{1,5})$/i.exec(address) ?? [];
  const number = Number(port);
  if (host !== undefined && number > 0 && number < 65_536) return { host: host.replace(/^\[|\]$/g, ''), port: number };
  throw new AppError('TLS_PEER', `"${address}" is not a host and a port`, {
    nextStep: 'Write host:port, for example csi-metadata.storage.svc:6443.',
  });
}

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host);

function authority({ ca, address }: TlsPeer): Buffer {
  try {
    new X509Certificate(ca);
  } catch (cause) {
    throw new AppError('TLS_PEER', `the authority that is given for ${address} is not a certificate`, {
      cause,
      nextStep: 'Give the certificate of the authority as PEM text.',
    });
  }
  return Buffer.from(ca);
}
