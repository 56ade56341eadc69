import { AppError } from '@lateen/errors';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { openAccess } from './access/access.ts';
import { tokenAccess } from './access/token-access.ts';
import { storageSeries } from './metrics/storage-series.ts';
import type { StorageReader } from './reading/storage-reader.ts';
import { metricsRoutes } from './routes/metrics-routes.ts';
import { restRoutes } from './routes/rest-routes.ts';
import { restApp } from './serving/rest-app.ts';
import { restWatcher } from './serving/rest-watcher.ts';
import { serveStreams } from './streams/serve-streams.ts';
import type { VolumeWork } from './volume-actions/volume-work.ts';

/** `none`: every client that reaches the port. `token`: users whom the cluster authenticates and authorizes by RBAC. */
export const apiAuths = ['none', 'token'] as const;
export type ApiAuth = (typeof apiAuths)[number];

export interface RestServerOptions {
  /** Where to listen; port 0 picks a free one. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly auth: ApiAuth;
  readonly api: KubeApi;
  readonly reader: StorageReader;
  /** The namespace of the storage objects. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Work of engines' hosts for actions; absent: such actions are refused. */
  readonly work?: VolumeWork;
  /** Metrics registry of the process, for `/metrics`; the series of this server are added. Default: a new registry. */
  readonly registry?: Registry;
  /** The node of this manager: series of volumes, disks and backups cover the objects that it handles. Absent: no such series. */
  readonly node?: string;
}

export interface RestServer {
  /** The address on which it listens, `http://host:port`. */
  readonly address: string;
  /** Ends streams and connections, aborts pending requests; resolves when the port is free. */
  stop(): Promise<void>;
}

/** Serves the REST API of the volume manager. @throws PORT_UNAVAILABLE */
export async function startRestServer(options: RestServerOptions): Promise<RestServer> {
  const { api, reader, namespace, clock, random, work } = options;
  const log = options.log.child({ server: 'storage-rest' });
  const registry = options.registry ?? new Registry();
  const stopped = new AbortController();
  const { signal } = stopped;
  const ports = { api, reader, namespace, clock, random, log, work };
  const access = options.auth === 'token' ? tokenAccess({ api, clock, namespace }) : openAccess;
  const routes = [...restRoutes, ...metricsRoutes(registry)];
  const app = restApp({ ports, routes, access, watcher: restWatcher(log, registry), signal });
  if (options.node !== undefined) storageSeries(registry, reader, options.node);
  const streams = serveStreams(app, { ports, access, registry, signal });
  const address = await listen(app, options.listen);
  log.info({ address, auth: options.auth }, 'the REST API is served');
  return {
    address,
    stop: async () => {
      stopped.abort(new AppError('STOPPED', 'the REST server was told to stop'));
      await streams.ended();
      await app.close();
    },
  };
}

async function listen(app: FastifyInstance, { host, port }: RestServerOptions['listen']): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (cause) {
    throw new AppError('PORT_UNAVAILABLE', `cannot serve the REST API on ${host}:${port}`, {
      cause,
      nextStep: 'Free the port, or give another one.',
    });
  }
}
