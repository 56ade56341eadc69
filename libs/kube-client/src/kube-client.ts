import { readFile } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import { type Clock, type Logger, type Random, semaphore } from '@lateen/kernel';
import {
  type ApiOverHttpLimits,
  type Discovery,
  type HttpTransport,
  type KubeApi,
  kubeApiOverHttp,
  type PodExec,
  type PodLogs,
} from '@lateen/kube';
import { type AgentLimits, agentLimitsDefault, agentPool } from './agent-pool.ts';
import { configuredCredentials } from './credentials.ts';
import { discovery } from './discovery.ts';
import { limitedTransport } from './limited-transport.ts';
import type { ClusterConfig } from './load-kube-config.ts';
import { needsPlugin, pluginCredentials } from './plugin-credentials.ts';
import { podExec } from './pod-exec.ts';
import { type RawRequest, rawSender } from './raw-request.ts';
import { type TransportLimits, transportLimitsDefault, undiciTransport } from './undici-transport.ts';

/**
 * `control`: leases, status, deletes: must get through when everything else is busy. `normal`: the rest.
 * `bulk`: thousands of calls whose order does not matter (collecting and restoring objects).
 */
export type Priority = 'control' | 'normal' | 'bulk';

export interface KubeClientLimits extends ApiOverHttpLimits, AgentLimits, TransportLimits {
  /**
   * Calls under way at once, per priority. An API server on 2 cores is fastest with 32 to 64 connections; their sum
   * bounds our sockets.
   */
  concurrency: Record<Priority, number>;
  /** Calls waiting for their turn, per priority. */
  waitingMax: number;
}

export const kubeClientLimits: Pick<KubeClientLimits, 'concurrency' | 'waitingMax'> = {
  concurrency: { control: 16, normal: 32, bulk: 32 },
  waitingMax: 10_000,
};

/** Enough for a call to end; a watch that was not ended ends here. */
const closeGraceMs = 2_000;

export interface KubeClientOptions {
  config: ClusterConfig;
  clock: Clock;
  random: Random;
  log: Logger;
  limits?: Partial<KubeClientLimits>;
  /** Sent as User-Agent; shows up in audit logs and managedFields. Default `lateen`. */
  userAgent?: string;
}

export interface KubeClient extends KubeApi, PodLogs, Discovery, PodExec {
  readonly config: ClusterConfig;
  /** The same client (connections, discovery), with its calls in another class. */
  withPriority(priority: Priority): KubeApi & PodLogs;
  /** Any request; for what the port has no verb for (`/readyz`, `/version`). Same retries and errors. */
  raw(request: RawRequest): Promise<string>;
  /** Closes the connections; calls that still run get two seconds to end and are then broken off. */
  close(): Promise<void>;
}

/** The Kubernetes API over HTTP/1.1 on one shared connection pool. Nothing is sent before the first call. */
export function kubeClient(options: KubeClientOptions): KubeClient {
  const { config, clock, limits } = options;
  const pool = agentPool({ proxyUrl: config.cluster['proxy-url'], limits: { ...agentLimitsDefault, ...limits } });
  const credentials = needsPlugin(config)
    ? pluginCredentials(config, clock)
    : configuredCredentials(config, { clock, readFile: (path) => readFile(path, 'utf8') });
  const transport = undiciTransport({
    server: config.server,
    credentials,
    pool,
    userAgent: options.userAgent ?? 'lateen',
    limits: { ...transportLimitsDefault, ...limits },
  });
  const views = priorityViews(transport, options);
  return {
    ...views.normal,
    ...discovery(views.normal.exchange, clock),
    ...podExec(config, clock),
    config,
    withPriority: (priority) => views[priority],
    raw: rawSender(views.normal.exchange),
    close: () => pool.close(clock.deadline(closeGraceMs)),
  };
}

function priorityViews(transport: HttpTransport, options: KubeClientOptions) {
  const { concurrency, waitingMax } = { ...kubeClientLimits, ...options.limits };
  const view = (name: Priority) => {
    const limited = limitedTransport(
      transport,
      semaphore({ placesMax: concurrency[name], waitingMax, full: () => tooManyWait(name, waitingMax) }),
    );
    return kubeApiOverHttp({ ...options, transport: limited });
  };
  return { control: view('control'), normal: view('normal'), bulk: view('bulk') };
}

function tooManyWait(name: Priority, waitingMax: number): AppError {
  return new AppError('KUBE_TOO_MANY_REQUESTS', `${waitingMax} API calls of priority ${name} are waiting already`, {
    retry: 'later',
    nextStep: 'Lower the concurrency of the caller',
  });
}
