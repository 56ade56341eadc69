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
  agentFor(tls: TlsIdentity): Dispatcher;
  /** Lets running requests end, those of retired pools as well; breaks them off when `patience` aborts. */
  close(patience: AbortSignal): Promise<void>;
}

export function agentPool(options: { proxyUrl?: string | undefined; limits: AgentLimits }): AgentPool {
  let current: { identity: string; agent: Dispatcher } | undefined;
  const retired = new Set<Dispatcher>();

  const retire = (agent: Dispatcher) => {
    retired.add(agent);
    // Running requests and watches end by themselves; new ones use the new identity. Only a destroyed agent rejects.
    agent.close().then(
      () => retired.delete(agent),
      () => retired.delete(agent),
    );
  };
  const all = () => [...retired, ...(current === undefined ? [] : [current.agent])];
  return {
    agentFor: (tls) => {
      const identity = JSON.stringify(tls);
      if (current?.identity === identity) return current.agent;
      if (current !== undefined) retire(current.agent);
      current = { identity, agent: makeAgent(tls, options) };
      return current.agent;
    },
    close: async (patience) => {
      const breakOff = () => void Promise.all(all().map((agent) => agent.destroy()));
      patience.addEventListener('abort', breakOff, { once: true });
      await Promise.all(all().map((agent) => agent.close()));
      patience.removeEventListener('abort', breakOff);
    },
  };
}

function makeAgent(tls: TlsIdentity, { proxyUrl, limits }: Parameters<typeof agentPool>[0]): Dispatcher {
  const set = Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
  const shared = {
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
