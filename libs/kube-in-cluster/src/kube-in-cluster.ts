import { Agent } from 'node:https';
import type { Clock, Logger, Random } from '@lateen/kernel';
import {
  type ApiOverHttpLimits,
  type InClusterConfig,
  type KubeApi,
  kubeApiOverHttp,
  type PodLogs,
} from '@lateen/kube';
import { type HttpsTransportLimits, httpsTransport } from './https-transport.ts';
import { type ClientCertificateConfig, identitySource } from './server-identity.ts';

export interface KubeInClusterLimits extends ApiOverHttpLimits, HttpsTransportLimits {
  /** Connections at once, watches included. */
  socketsMax: number;
  /** Idle connections are closed before the API server does it (90 s). */
  idleConnectionMsMax: number;
  /** TCP keepalive: a dead peer is noticed this long after the last byte, plus ten probes of one second. */
  keepAliveDelayMs: number;
}

const limitsDefault = {
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 65_000,
  bodyTimeoutMs: 60_000,
  socketsMax: 16,
  idleConnectionMsMax: 30_000,
  keepAliveDelayMs: 30_000,
};

export interface KubeInClusterOptions {
  config: InClusterConfig | ClientCertificateConfig;
  clock: Clock;
  random: Random;
  log: Logger;
  limits?: Partial<KubeInClusterLimits>;
  /** Default `lateen`. */
  userAgent?: string;
}

export interface KubeInCluster extends KubeApi, PodLogs {
  /** Closes the connections; what still runs is broken off. */
  close(): void;
}

/** The Kubernetes API for a short-lived pod: node:https and nothing else. Nothing is sent before the first call. */
export function kubeInCluster(options: KubeInClusterOptions): KubeInCluster {
  const { config, clock } = options;
  const limits = { ...limitsDefault, ...options.limits };
  const agent = new Agent({
    keepAlive: true,
    keepAliveMsecs: limits.keepAliveDelayMs,
    maxSockets: limits.socketsMax,
    timeout: limits.idleConnectionMsMax,
  });
  const transport = httpsTransport({
    host: config.host,
    port: config.port,
    identity: identitySource(config, clock),
    agent,
    userAgent: options.userAgent ?? 'lateen',
    limits,
  });
  return { ...kubeApiOverHttp({ ...options, transport }), close: () => agent.destroy() };
}
