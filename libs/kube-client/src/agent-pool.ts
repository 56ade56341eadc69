import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import type { TlsIdentity } from './credentials.ts';

export interface AgentLimits {
  connectTimeoutMs: number;
  /** Idle connections are closed by us before the API server does it (90 s), so that no request meets a closing one. */
  idleConnectionMsMax: number;
  /** TCP keepalive: a dead peer is noticed this long after the last byte, plus ten probes of one second. */
  keepAliveDelayMs: number;
}

export const agentLimitsDefault: AgentLimits = {
  connectTimeoutMs: 10_000,
  idleConnectionMsMax: 30_000,
  keepAliveDelayMs: 30_000,
};

/** One shared connection pool for one (cluster, user); another identity gets a new one and retires the old. */
export interface AgentPool {
  /** The connections for this identity; `done` must be called once the answer is read. @throws after `close` */
  use(tls: TlsIdentity): { agent: Dispatcher; done(): void };
  /** Lets running requests end, those of retired connections as well; breaks them off when `patience` aborts. */
  close(patience: AbortSignal): Promise<void>;
}

interface Entry {
  identity: string;
  agent: Dispatcher;
  uses: number;
}

/**
 * Uses are counted here because undici's own `close` forgets the connections that it waits for: a `destroy` after it
 * no longer ends a watch (undici 8.12).
 */
export function agentPool(options: { proxyUrl?: string | undefined; limits: AgentLimits }): AgentPool {
  const entries = new Set<Entry>();
  let current: Entry | undefined;
  let closing: Promise<void> | undefined;
  let onIdle = () => {};

  const discard = async (entry: Entry) => {
    entries.delete(entry);
    await entry.agent.destroy();
  };
  const entryFor = (tls: TlsIdentity): Entry => {
    const identity = JSON.stringify(tls);
    if (current?.identity === identity) return current;
    const retired = current;
    current = { identity, agent: makeAgent(tls, options), uses: 0 };
    entries.add(current);
    // Running requests and watches on the old one end by themselves; the last of them discards it.
    if (retired?.uses === 0) void discard(retired);
    return current;
  };
  const done = (entry: Entry) => {
    entry.uses--;
    if (entry.uses > 0) return;
    if (entry !== current) void discard(entry);
    if ([...entries].every(({ uses }) => uses === 0)) onIdle();
  };
  const close = async (patience: AbortSignal) => {
    const idle = Promise.withResolvers<void>();
    onIdle = idle.resolve;
    patience.addEventListener('abort', onIdle, { once: true });
    if ([...entries].some(({ uses }) => uses > 0)) await idle.promise;
    await Promise.all([...entries].map(discard));
  };

  return {
    use: (tls) => {
      if (closing !== undefined) throw Object.assign(new Error('the client is closed'), { code: 'UND_ERR_CLOSED' });
      const entry = entryFor(tls);
      entry.uses++;
      return { agent: entry.agent, done: () => done(entry) };
    },
    close: (patience) => {
      closing ??= close(patience);
      return closing;
    },
  };
}

function makeAgent(tls: TlsIdentity, { proxyUrl, limits }: Parameters<typeof agentPool>[0]): Dispatcher {
  const set = Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
  const shared = {
    // Over HTTP/2 undici ends the process with an unhandled error when a connection is destroyed under a watch (undici 8.12).
    allowH2: false,
    keepAliveTimeout: limits.idleConnectionMsMax,
    keepAliveMaxTimeout: limits.idleConnectionMsMax,
    pipelining: 1,
  };
  const socket = {
    timeout: limits.connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelay: limits.keepAliveDelayMs,
  };
  if (proxyUrl !== undefined && proxyUrl !== '') {
    return new ProxyAgent({
      ...shared,
      uri: proxyUrl,
      requestTls: { ...set, ...socket },
      connectTimeout: limits.connectTimeoutMs,
    });
  }
  return new Agent({ ...shared, connect: { ...set, ...socket } });
}
