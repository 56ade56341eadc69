import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { productVersion } from '@lateen/api-types';
import { type HostInfo, hostApi, type UnixOrTcp } from '@lateen/block-engine';
import { reserveBytesOf, withReserve } from '@lateen/block-frontend';
import { type EngineHostPorts, engineHost } from '@lateen/engine-host';
import { AppError } from '@lateen/errors';
import { serveUnix } from '@lateen/grpc';
import { connectReplicaControl, instanceService } from '@lateen/instance-api';
import { exportKeyIn, exportName, headExport } from '@lateen/instance-host';
import { systemClock as clock, type Logger, systemRandom as random } from '@lateen/kernel';
import { inClusterConfig, kubeInCluster } from '@lateen/kube-in-cluster';
import { connectStatus, serveBlocks } from '@lateen/nbd';
import type { Environment } from '../config/serve-config.ts';
import { type EngineConfig, engineExport } from '../engines/engine-config.ts';
import { tlsFilesIn } from '../serve/tls.ts';

/** Time for running calls after the stop; the engine's own stop has separate time before. */
const stopMs = 2_000;

/**
 * Runs one engine, until `stop` aborts: then it finishes the writes that it has accepted. The process serves the instance API on its own socket, and
 * receives its request there.
 * @throws AppError `KUBE_NOT_IN_CLUSTER`, `SOCKET_IN_USE`, `LISTEN_FAILED`
 */
export async function runEngine(
  config: EngineConfig,
  environment: Environment,
  { log, stop }: { log: Logger; stop: AbortSignal },
): Promise<void> {
  await using undo = new AsyncDisposableStack();
  const kube = kubeInCluster({
    config: await inClusterConfig(environment, (path) => readFile(path, 'utf8')),
    ...{ clock, random, log },
    userAgent: 'lateen-engine',
  });
  undo.defer(() => kube.close());
  const stopping = new AbortController();
  const host = engineHost({ kube, clock, random, log, ...connections(config), ...served(config, log) });
  const service = instanceService(host, { log, clock, stopping: stopping.signal });
  const server = await serveUnix(`unix://${config.socketPath}`, [service], clock);
  undo.defer(() => server.stop(stopMs));
  undo.defer(() => stopping.abort(new AppError('STOPPED', 'the engine ends')));
  // Disposed before its server, so that `serve` learns how it ended.
  undo.use(host);
  log.info({ engine: config.engine, volume: config.volume }, 'the process of an engine is ready');
  await new Promise<void>((resolve) =>
    stop.aborted ? resolve() : stop.addEventListener('abort', () => resolve(), { once: true }),
  );
}

function connections(config: EngineConfig): Pick<EngineHostPorts, 'connectReplica' | 'connectControl'> {
  const { tlsDirectory, managerPort: port, serverName } = config;
  return {
    connectReplica: async ({ replica, host, port: at, unixPath }, head, { signal }) => {
      const place: UnixOrTcp = unixPath === undefined ? { host, port: at } : { path: unixPath };
      const name = exportName(await exportKeyIn(tlsDirectory), headExport({ replica, ...head }));
      const contexts = ['base:allocation', 'qemu:allocation-depth'] as const;
      return connectStatus({ at: place, exportName: name, clock, signal, contexts });
    },
    connectControl: ({ host }) => connectReplicaControl({ host, port, tls: tlsFilesIn(tlsDirectory), serverName }),
  };
}

function served(config: EngineConfig, log: Logger): Pick<EngineHostPorts, 'serve' | 'info'> {
  const info: HostInfo = {
    ...{ apiMin: hostApi.min, apiMax: hostApi.max, version: productVersion, node: config.node },
    ...{ qsdVersion: '', frontends: [], probes: [], disks: [] },
  };
  return {
    info: () => info,
    serve: async (target, { sizeBytes }) => {
      const path = join(config.directory, 'nbd');
      // A killed process has left this file; no other process of this engine runs.
      await rm(path, { force: true });
      const reserve = config.hasReserve ? BigInt(reserveBytesOf(Number(sizeBytes))) : 0n;
      const whole = withReserve(target, sizeBytes + reserve);
      return await serveBlocks({ path }, new Map([[engineExport, whole]]), { clock, log });
    },
  };
}
