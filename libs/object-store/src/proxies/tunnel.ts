import { request as overHttp, type RequestOptions } from 'node:http';
import { request as overHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { getCACertificates } from 'node:tls';
import { ProxyError } from './proxy-error.ts';

/** Of what a proxy answers; the headers of a CONNECT are a few hundred bytes. */
const headerBytesMax = 16 * 1024;

export interface Through {
  /** Address of the proxy, with user and password if it has any. */
  proxy: string;
  /** Without an answer of the proxy for so long it is given up. */
  silenceMs: number;
  /** PEM; trusted for a proxy that speaks TLS beside the system's authorities, as the engines do. */
  caPem?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * A connection to `target` (`host:port`) that a proxy has made (CONNECT; RFC 9110, section 9.3.6). Rejects with
 * {@link ProxyError}, or the reason of the signal.
 */
export function tunnelTo(target: string, { proxy, silenceMs, caPem, signal }: Through): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const send = new URL(proxy).protocol === 'https:' ? overHttps : overHttp;
  const request = send({
    ...proxyOptions(proxy, caPem),
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...proxyAuthorization(proxy) },
    agent: false,
    maxHeaderSize: headerBytesMax,
    timeout: silenceMs,
    ...(signal === undefined ? {} : { signal }),
  });
  request.on('timeout', () => request.destroy(Object.assign(new Error('the proxy is silent'), { code: 'ETIMEDOUT' })));
  request.on('error', (cause) => {
    reject(signal?.aborted === true ? signal.reason : new ProxyError(proxy, { cause, isProxys: true }));
  });
  request.on('connect', ({ statusCode: status = 0 }, socket: Socket, early) => {
    if (status < 200 || status >= 300) {
      socket.destroy();
      reject(new ProxyError(proxy, { status, isProxys: true }));
      return;
    }
    socket.setTimeout(0);
    if (early.length > 0) socket.unshift(early);
    resolve(socket);
  });
  request.end();
  return promise;
}

/** Where a proxy listens. */
export function proxyOptions(proxy: string, caPem?: string): RequestOptions & { ca?: string[]; servername: string } {
  const { protocol, hostname: written, port } = new URL(proxy);
  const hostname = written.replace(/^\[|\]$/g, '');
  return {
    protocol,
    // Not "host", which the one of a URL beside it would hide.
    hostname,
    // Node would take the Host header for the name in the proxy's certificate.
    servername: isIP(hostname) === 0 ? hostname : '',
    port: port || (protocol === 'https:' ? 443 : 80),
    ...(caPem === undefined ? {} : { ca: authoritiesWith(caPem) }),
  };
}

/** The system's and one more. */
export const authoritiesWith = (caPem: string): string[] => [...getCACertificates('default'), caPem];

/** The credentials header for a proxy; empty for a proxy without a user. */
export function proxyAuthorization(proxy: string): Record<string, string> {
  const { username, password } = new URL(proxy);
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
