import type { Call, InstanceHost } from '@lateen/block-engine';
import type { TcpPeer } from '@lateen/grpc';
import { connectInstanceHost, type HostClientOptions } from './host-client.ts';

/** How each call answers: once, or as a stream. */
const answers = {
  info: 'once',
  ensureReplica: 'once',
  ensureEngine: 'once',
  ensureFrontend: 'once',
  stop: 'once',
  watch: 'stream',
  promiseGeneration: 'once',
  deleteReplicaData: 'once',
  engineSnapshot: 'once',
  engineAddReplica: 'stream',
  engineDropReplica: 'once',
  engineGrow: 'once',
  engineRevert: 'once',
  engineTrim: 'once',
  engineSnapshotDelete: 'once',
  enginePurge: 'stream',
  snapshotSum: 'stream',
  openSnapshot: 'once',
  closeSnapshot: 'once',
  startBackup: 'stream',
  startRestore: 'stream',
  startClone: 'stream',
  inspectDisk: 'once',
  registerDisk: 'once',
  listReplicaFolders: 'stream',
} as const satisfies Record<keyof InstanceHost, 'once' | 'stream'>;

type AnyCall = (...parameters: readonly unknown[]) => unknown;

/**
 * As {@link connectInstanceHost}, for who cannot wait: files are read and the connection is made by the first call, and by a later one when that
 * has failed. Dispose to close; what is called afterwards rejects.
 */
export function connectInstanceHostLate(
  peer: Omit<TcpPeer, 'headers'>,
  options: HostClientOptions,
): InstanceHost & Disposable {
  let opened: Promise<InstanceHost & Disposable> | undefined;
  let isClosed = false;
  const open = async (): Promise<InstanceHost & Disposable> => {
    opened ??= connectInstanceHost(peer, options);
    try {
      const host = await opened;
      if (isClosed) host[Symbol.dispose]();
      return host;
    } catch (error) {
      opened = undefined;
      throw error;
    }
  };
  const called = (host: InstanceHost, name: keyof InstanceHost, parameters: readonly unknown[]) =>
    (host[name] as AnyCall)(...parameters);
  const calls = Object.entries(answers).map(([key, how]) => {
    const name = key as keyof InstanceHost;
    const once = async (...parameters: readonly unknown[]) => await called(await open(), name, parameters);
    const stream = async function* (...parameters: readonly unknown[]) {
      // The signal is the last parameter of every call.
      (parameters.at(-1) as Call).signal.throwIfAborted();
      yield* called(await open(), name, parameters) as AsyncIterable<unknown>;
    };
    return [name, how === 'once' ? once : stream];
  });
  return {
    ...(Object.fromEntries(calls) as InstanceHost),
    [Symbol.dispose]: () => {
      isClosed = true;
      opened?.then(
        (host) => host[Symbol.dispose](),
        () => {},
      );
    },
  };
}
