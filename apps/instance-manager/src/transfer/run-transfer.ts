import { once } from 'node:events';
import { productVersion } from '@lateen/api-types';
import { type Call, type HostInfo, hostApi, hostError, type InstanceHost, type UnixOrTcp } from '@lateen/block-engine';
import { blockBackupStore, openTarget } from '@lateen/block-store';
import { nativeCodec } from '@lateen/block-store/native-codec';
import { type TransferHost, type TransferPorts, transferHost } from '@lateen/block-transfer';
import { AppError } from '@lateen/errors';
import { serveUnix } from '@lateen/grpc';
import { connectInstanceHost, connectInstanceHostUnix, instanceService } from '@lateen/instance-api';
import { exportKeyIn, openLeased } from '@lateen/instance-host';
import { systemClock as clock, type Logger, systemRandom as random } from '@lateen/kernel';
import { connectReplica, connectStatus } from '@lateen/nbd';
import { nfsMounts, targetDirectories } from '@lateen/object-store-fs/nfs';
import { backupTargetStore } from '@lateen/object-store-s3';
import { engineExport } from '../engines/engine-config.ts';
import { placesOf } from '../places.ts';
import { managerPlace } from '../serve/manager-place.ts';
import { tlsFilesIn } from '../serve/tls.ts';
import type { TransferConfig } from '../transfers/transfer-config.ts';
import { engineSink } from './engine-sink.ts';
import { lastingSnapshot } from './lasting-snapshot.ts';

/** Time for running calls after the stop; the transfer itself has separate time before. */
const stopMs = 1_000;
/** The program that started this process may have died before it sent the request. */
const beginMs = 60_000;

/**
 * Runs one transfer, until `stop` aborts: then the transfer is cancelled and its lock is released. The process serves the instance API on its own
 * socket and receives its request there, once. Without a request it ends.
 * @throws AppError `SOCKET_IN_USE`, `LISTEN_FAILED`, `TLS_FILES`
 */
export async function runTransfer(
  config: TransferConfig,
  environment: NodeJS.ProcessEnv,
  { log, stop }: { log: Logger; stop: AbortSignal },
): Promise<void> {
  await using undo = new AsyncDisposableStack();
  const stopping = new AbortController();
  const manager = undo.use(await connectManager({ host: config.managerAddress, port: config.managerPort }, config));
  const transfers = transferHost(
    transferPorts(config, { manager, log, path: environment.PATH ?? '' }),
    stopping.signal,
  );
  let hasBegun = false;
  const begun = <T>(follow: T): T => {
    hasBegun = true;
    return follow;
  };
  const host = onlyTransfers({
    ...transfers,
    startBackup: (request, o) => begun(transfers.startBackup(request, o)),
    startRestore: (request, o) => begun(transfers.startRestore(request, o)),
    startClone: (request, o) => begun(transfers.startClone(request, o)),
  });
  const { socketPath } = placesOf(config.runtimeDirectory).transfer(config.transfer);
  const service = instanceService(host, { log, clock, stopping: stopping.signal });
  const server = await serveUnix(`unix://${socketPath}`, [service], clock);
  undo.defer(() => server.stop(stopMs));
  undo.defer(() => stopping.abort(new AppError('STOPPED', 'the process of the transfer ends')));
  // Resolves when everything is released; the reader of its progress learns that it was cancelled.
  undo.defer(
    async () =>
      void (await transfers.stop({ kind: 'transfer', name: config.transfer, generation: 0 }, { signal: never })),
  );
  log.info({ transfer: config.transfer, volume: config.volume }, 'the process of a transfer is ready');
  const tooLong = clock.deadline(beginMs);
  const ends = AbortSignal.any([stop, tooLong]);
  if (!ends.aborted) await once(ends, 'abort');
  if (stop.aborted || !hasBegun) return;
  await once(stop, 'abort');
}

const never = new AbortController().signal;

type Place = { host: string; port: number };

const connectManager = (place: Place, { tlsDirectory, serverName }: TransferConfig) =>
  connectInstanceHost({ ...place, tls: tlsFilesIn(tlsDirectory), serverName }, { clock });

interface Beside {
  readonly manager: InstanceHost;
  readonly log: Logger;
  /** Search path for programs. */
  readonly path: string;
}

function transferPorts(config: TransferConfig, { manager, log, path }: Beside): TransferPorts {
  const { tlsDirectory, replicaAddress, runtimeDirectory } = config;
  const contexts = ['base:allocation', 'qemu:allocation-depth'] as const;
  const status = (at: UnixOrTcp, exportName: string, signal: AbortSignal) =>
    connectStatus({ at, exportName, clock, signal, contexts });
  const chainOf = (host: InstanceHost, address: string, request: { replica: string; snapshot: string }, o: Call) => {
    const lease = {
      ...{ host, clock, random, log, exportKey: () => exportKeyIn(tlsDirectory) },
      connect: (port: number, name: string, signal: AbortSignal) => status({ host: address, port }, name, signal),
    };
    const open = (call: Call) => openLeased(lease, { ...request, layerAlone: false }, call);
    return lastingSnapshot({ open, clock, random, log }, o);
  };
  const engines = {
    clock,
    connectHost: (engine: string) =>
      connectInstanceHostUnix(`unix://${placesOf(runtimeDirectory).engine(engine).socketPath}`, { clock }),
    connectVolume: (path: string, { signal }: Call) =>
      connectReplica({ at: { path }, exportName: engineExport, clock, signal }),
  };
  const { targets: directory } = placesOf(runtimeDirectory);
  const openDirectory = targetDirectories(nfsMounts({ directory, path, pid: process.pid, clock, log }));
  return {
    openTarget: async (address, o) => {
      const opened = await openTarget(address, { openBucket: backupTargetStore, openDirectory, clock, random, log }, o);
      const store = blockBackupStore({ ...opened, codec: nativeCodec });
      return { store, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
    },
    openSnapshot: ({ replica, snapshot }, o) => chainOf(manager, replicaAddress, { replica, snapshot }, o),
    openSource: async ({ sourceManager, sourceReplica: replica, snapshot }, o) => {
      const place = managerPlace(sourceManager);
      await using undo = new AsyncDisposableStack();
      const host = undo.use(await connectManager(place, config));
      const { link } = undo.use(await chainOf(host, place.host, { replica, snapshot }, o));
      const open = undo.move();
      return { link, [Symbol.asyncDispose]: () => open.disposeAsync() };
    },
    openSink: (request, o) => engineSink(engines, request, o),
    ...{ uuid: random.uuid(), clock, log },
  };
}

/** Only the calls of `InstanceHost` that concern its transfer work. */
function onlyTransfers(transfers: TransferHost): InstanceHost {
  const info: HostInfo = {
    ...{ apiMin: hostApi.min, apiMax: hostApi.max, version: productVersion, node: '' },
    ...{ qsdVersion: '', frontends: [], probes: [], disks: [] },
  };
  const there: Partial<InstanceHost> = { ...transfers, info: async () => info };
  return new Proxy(there, {
    get: (target, call: keyof InstanceHost) =>
      target[call] ??
      (() => {
        throw hostError('INVALID_ARGUMENT', `the process of a transfer does nothing about ${call}`);
      }),
  }) as InstanceHost;
}
