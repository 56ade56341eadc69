/** A failure at a proxy: on the connection to it, or behind it. `unreachableError` reports it. */
export class ProxyError extends Error {
  /** `host:port` of the proxy, for messages; its user and password are left out. */
  readonly proxy: string;
  /** True when the proxy itself did not let us through; false when a connection through it failed later. */
  readonly isProxys: boolean;
  /** What the proxy answered instead of a connection. */
  readonly status: number | undefined;

  constructor(proxy: string, how: { cause?: unknown; status?: number; isProxys: boolean }) {
    super(`by the proxy ${proxyName(proxy)}`, how.cause === undefined ? undefined : { cause: how.cause });
    this.name = 'ProxyError';
    this.proxy = proxyName(proxy);
    this.isProxys = how.isProxys;
    this.status = how.status;
  }
}

/** `host:port` of a proxy's address. */
function proxyName(address: string): string {
  const { host, port, protocol } = new URL(address);
  return port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host;
}

/** The failure of a proxy in a chain of causes. */
export function proxyErrorIn(cause: unknown): ProxyError | undefined {
  for (let current = cause, depth = 0; current instanceof Error && depth < causesMax; depth++) {
    if (current instanceof ProxyError) return current;
    current = current.cause;
  }
  return undefined;
}

const causesMax = 5;

/** What to do about an answer 407. */
export const giveCredentials =
  "Give the proxy's credentials in HTTPS_PROXY or HTTP_PROXY of the pods, or name the store in NO_PROXY.";
