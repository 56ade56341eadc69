import { type IncomingMessage, request as overHttp, type RequestOptions } from 'node:http';
import { request as overHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { ProxyFor } from './proxies.ts';
import { ProxyError } from './proxy-error.ts';
import { proxyAuthorization, proxyOptions, tunnelTo } from './tunnel.ts';

export interface LeanRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Largest headers of the answer. */
  headerBytesMax: number;
  proxyFor?: ProxyFor | undefined;
}

/** The signal ends it sooner; this is for the proxy alone, whose silence is not the service's. */
const proxySilenceMs = 10_000;

/**
 * POSTs something small, by a proxy where there is one, and follows no redirect. Not `fetch`: it tells nothing of what a proxy
 * answers, and unpacks what was packed. Not undici: data movers ask for tokens too, and start once per volume.
 */
export async function postLean(wanted: LeanRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const proxy = wanted.proxyFor?.(wanted.url);
  const isPlain = new URL(wanted.url).protocol === 'http:';
  if (proxy === undefined) return await post(isPlain ? overHttp : overHttps, wanted, { agent: false, signal });
  if (!isPlain) return await postThroughTunnel(wanted, proxy, signal);
  const send = new URL(proxy).protocol === 'https:' ? overHttps : overHttp;
  const absolute = { ...proxyOptions(proxy), path: wanted.url, agent: false, signal };
  const headers = { host: new URL(wanted.url).host, ...proxyAuthorization(proxy) };
  return await post(send, wanted, absolute, headers).catch((cause: unknown) => {
    throw signal.aborted ? cause : new ProxyError(proxy, { cause, isProxys: true });
  });
}

async function postThroughTunnel(wanted: LeanRequest, proxy: string, signal: AbortSignal): Promise<IncomingMessage> {
  const { hostname, port } = new URL(wanted.url);
  const inTunnel = await tunnelTo(`${hostname}:${port || 443}`, { proxy, silenceMs: proxySilenceMs, signal });
  try {
    signal.throwIfAborted();
    const socket = await handshake(inTunnel, hostname.replace(/^\[|\]$/g, ''), signal);
    return await post(overHttps, wanted, { createConnection: () => socket, signal });
  } catch (cause) {
    inTunnel.destroy();
    throw signal.aborted ? cause : new ProxyError(proxy, { cause, isProxys: false });
  }
}

/** Without it Node would send the request before the certificate is known to be good. */
function handshake(socket: Socket, host: string, signal: AbortSignal): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const secure = connectTls({ socket, host, ...(isIP(host) === 0 ? { servername: host } : {}) });
  const stop = () => secure.destroy(signal.reason instanceof Error ? signal.reason : new Error('stopped'));
  signal.addEventListener('abort', stop, { once: true });
  secure.once('secureConnect', () => resolve(secure));
  secure.on('error', reject);
  secure.once('close', () => reject(Object.assign(new Error('closed in the handshake'), { code: 'ECONNRESET' })));
  return promise.finally(() => signal.removeEventListener('abort', stop));
}

function post(
  send: typeof overHttp,
  { url, headers, body, headerBytesMax }: LeanRequest,
  options: RequestOptions,
  more: Readonly<Record<string, string>> = {},
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const all = { ...headers, ...more, 'content-length': String(Buffer.byteLength(body)) };
  const request = send(url, { ...options, method: 'POST', headers: all, maxHeaderSize: headerBytesMax });
  request.on('response', resolve);
  request.on('error', reject);
  request.end(body);
  return promise;
}
