import type { IncomingHttpHeaders } from 'node:http';
import { Agent, buildConnector, Dispatcher } from 'undici';
import type { ProxyFor } from './proxies.ts';
import { ProxyError } from './proxy-error.ts';
import { authoritiesWith, proxyAuthorization, tunnelTo } from './tunnel.ts';

/** How an HTTP client connects, and what it waits and reads. */
export interface ProxiedAgentOptions extends Omit<Agent.Options, 'connect' | 'allowH2'> {
  connect: buildConnector.BuildOptions & { timeout: number; ca?: string | string[]; rejectUnauthorized?: boolean };
}

/**
 * undici's Agent, that goes by a proxy where `proxyFor` names one: https through a tunnel, http in absolute form (RFC 9112,
 * section 3.2.2). Each host is decided about by itself. Only HTTP/1.1: a transfer that is broken off ends its connection and nothing
 * else, while over HTTP/2 others wait behind it, and one that is destroyed ends the process (undici 8.12). Not undici's ProxyAgent: its clients for http targets have none of our
 * limits, and what a proxy refuses it tells in words alone. What fails by a proxy has a ProxyError among its causes.
 */
export function proxiedAgent(options: ProxiedAgentOptions, proxyFor: ProxyFor | undefined): Dispatcher {
  return proxyFor === undefined ? new Agent({ ...options, allowH2: false }) : new ProxiedAgent(options, proxyFor);
}

class ProxiedAgent extends Dispatcher {
  readonly #proxyFor: ProxyFor;
  /** To targets themselves, and through tunnels. */
  readonly #agent: Agent;
  /** To proxies that are asked in absolute form. */
  readonly #forwarding: Agent;

  constructor(options: ProxiedAgentOptions, proxyFor: ProxyFor) {
    super();
    this.#proxyFor = proxyFor;
    this.#agent = new Agent({ ...options, allowH2: false, connect: tunnelling(options, proxyFor) });
    this.#forwarding = new Agent({ ...options, allowH2: false, connect: toProxy(options.connect) });
  }

  override dispatch(wanted: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { origin, protocol, host } = new URL(String(wanted.origin));
    const proxy = this.#proxyFor(origin);
    if (proxy === undefined) return this.#agent.dispatch(wanted, handler);
    const telling = new TellingHandler(handler, proxy);
    if (protocol === 'https:') return this.#agent.dispatch(wanted, telling);
    const headers = { host, ...recordOf(wanted.headers), ...proxyAuthorization(proxy) };
    const path = `${origin}${wanted.path}`;
    return this.#forwarding.dispatch({ ...wanted, origin: new URL(proxy).origin, path, headers }, telling);
  }

  override close(): Promise<void>;
  override close(callback: () => void): void;
  override close(callback?: () => void): Promise<void> | undefined {
    return ended([this.#agent.close(), this.#forwarding.close()], callback);
  }

  override destroy(error?: Error | null | (() => void), callback?: () => void): Promise<void> {
    const reason = typeof error === 'function' ? null : (error ?? null);
    const last = typeof error === 'function' ? error : callback;
    const both = [this.#agent.destroy(reason), this.#forwarding.destroy(reason)];
    return ended(both, last) ?? Promise.resolve();
  }
}

function ended(both: Promise<void>[], callback: (() => void) | undefined): Promise<void> | undefined {
  const all = Promise.all(both).then(() => {});
  if (callback === undefined) return all;
  all.then(callback, callback);
  return undefined;
}

function tunnelling({ connect: tls }: ProxiedAgentOptions, proxyFor: ProxyFor): buildConnector.connector {
  const connect = buildConnector({ allowH2: false, ...tls });
  return (wanted, callback) => {
    const { protocol, hostname, port } = wanted;
    const proxy = protocol === 'https:' ? proxyFor(`https://${bracketed(hostname)}:${port || 443}`) : undefined;
    if (proxy === undefined) return connect(wanted, callback);
    const caPem = typeof tls.ca === 'string' ? tls.ca : undefined;
    tunnelTo(`${bracketed(hostname)}:${port || 443}`, { proxy, silenceMs: tls.timeout, caPem }).then(
      (httpSocket) => connect({ ...wanted, httpSocket }, callback),
      (error: Error) => callback(error, null),
    );
  };
}

/** The certificate of a proxy is checked whatever is trusted of the store. */
function toProxy({ timeout, ca }: ProxiedAgentOptions['connect']): buildConnector.connector {
  const trusted = typeof ca === 'string' ? { ca: authoritiesWith(ca) } : {};
  const connect = buildConnector({ timeout, ...trusted, allowH2: false });
  // The Host header is the target's, which undici would take for the name in the proxy's certificate.
  return (wanted, callback) =>
    connect({ ...wanted, servername: '', host: wanted.hostname }, (...[error, socket]) => {
      // undici leaves the socket out where it has an error.
      if (error === null) return callback(null, socket);
      callback(new ProxyError(originOf(wanted), { cause: error, isProxys: true }), null);
    });
}

const originOf = ({ protocol, hostname, port }: buildConnector.Options): string =>
  `${protocol}//${bracketed(hostname)}${port ? `:${port}` : ''}`;

const bracketed = (hostname: string): string =>
  hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;

/** As a record, the simplest to add to. */
function recordOf(headers: Dispatcher.DispatchOptions['headers']): IncomingHttpHeaders {
  if (headers === undefined || headers === null) return {};
  // undici's own interceptors give pairs in one list.
  if (Array.isArray(headers)) {
    const names = headers.filter((_, index) => index % 2 === 0);
    return Object.fromEntries(names.map((name, index) => [String(name), headers[2 * index + 1]]));
  }
  if (Symbol.iterator in headers) throw new TypeError('headers by a proxy are given as a record');
  return { ...(headers as IncomingHttpHeaders) };
}

/** Passes everything on, and marks errors as caused by a proxy. */
class TellingHandler implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #proxy: string;

  constructor(handler: Dispatcher.DispatchHandler, proxy: string) {
    this.#handler = handler;
    this.#proxy = proxy;
  }
  onRequestStart(...told: Parameters<Needed['onRequestStart']>): void {
    this.#handler.onRequestStart?.(...told);
  }
  onRequestUpgrade(...told: Parameters<Needed['onRequestUpgrade']>): void {
    this.#handler.onRequestUpgrade?.(...told);
  }
  onResponseStart(...told: Parameters<Needed['onResponseStart']>): void {
    this.#handler.onResponseStart?.(...told);
  }
  onResponseData(...told: Parameters<Needed['onResponseData']>): void {
    this.#handler.onResponseData?.(...told);
  }
  onResponseEnd(...told: Parameters<Needed['onResponseEnd']>): void {
    this.#handler.onResponseEnd?.(...told);
  }
  onResponseError(controller: Dispatcher.DispatchController, cause: Error): void {
    const told = cause instanceof ProxyError ? cause : new ProxyError(this.#proxy, { cause, isProxys: false });
    this.#handler.onResponseError?.(controller, told);
  }
}

type Needed = Required<Dispatcher.DispatchHandler>;
