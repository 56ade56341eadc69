import { type HostApi, hostError, hostSilentMs, type InstanceEvent, type InstanceHost } from '@lateen/block-engine';
import { connectTcp, connectUnix, type ServiceClient, type TcpPeer } from '@lateen/grpc';
import { type Clock, durationText } from '@lateen/kernel';
import { apiHeaders } from './api-header.ts';
import { InstanceManagerClient, type InstanceManagerServer } from './generated/instance.ts';
import { withHostErrors } from './host-error-of.ts';
import { eventFromWire, instanceFromWire, kindToWire } from './instance-codec.ts';
import { untilSilent } from './until-silent.ts';

export interface HostClientOptions {
  clock: Clock;
  /** Another release, in tests. */
  api?: HostApi;
}

/**
 * The instance manager of a node, called over TCP (lazily: the first call connects). Dispose to close.
 * @throws AppError `TLS_FILES`
 */
export async function connectInstanceHost(
  peer: Omit<TcpPeer, 'headers'>,
  options: HostClientOptions,
): Promise<InstanceHost & Disposable> {
  const headers = apiHeaders(options.api);
  const client = await connectTcp<InstanceManagerServer>({ ...peer, headers }, InstanceManagerClient);
  return hostOf(client, `${peer.host}:${peer.port}`, options.clock);
}

/** As {@link connectInstanceHost}, over a unix socket. */
export function connectInstanceHostUnix(endpoint: string, options: HostClientOptions): InstanceHost & Disposable {
  const client = connectUnix<InstanceManagerServer>(endpoint, InstanceManagerClient, {
    headers: apiHeaders(options.api),
  });
  return hostOf(client, endpoint, options.clock);
}

type Client = ServiceClient<InstanceManagerServer> & Disposable;

function hostOf(client: Client, place: string, clock: Clock): InstanceHost & Disposable {
  const { one, none, many } = withHostErrors(place);
  const silent = () =>
    hostError(
      'HOST_UNREACHABLE',
      `the instance manager at ${place} has not answered for ${durationText(hostSilentMs)}`,
    );
  return {
    info: (o) => one(client.getInfo({}, o)),
    ensureReplica: async (request, o) => instanceFromWire(await one(client.ensureReplica(request, o))),
    ensureEngine: async (request, o) => instanceFromWire(await one(client.ensureEngine(request, o))),
    ensureFrontend: async (request, o) => instanceFromWire(await one(client.ensureFrontend(request, o))),
    stop: (request, o) => one(client.stop({ ...request, kind: kindToWire(request.kind) }, o)),
    watch: ({ signal }) =>
      known(
        untilSilent((s) => many(client.watch({}, { signal: s })), { silentMs: hostSilentMs, clock, signal, silent }),
      ),
    promiseGeneration: (request, o) => one(client.promiseGeneration(request, o)),
    deleteReplicaData: (request, o) => none(client.deleteReplicaData(request, o)),

    engineSnapshot: (request, o) => one(client.engineSnapshot(request, o)),
    engineAddReplica: (request, o) => many(client.engineAddReplica(request, o)),
    engineDropReplica: (request, o) => none(client.engineDropReplica(request, o)),
    engineGrow: (request, o) => none(client.engineGrow(request, o)),
    engineRevert: (request, o) => none(client.engineRevert(request, o)),
    engineTrim: (request, o) => one(client.engineTrim(request, o)),
    engineSnapshotDelete: (request, o) => none(client.engineSnapshotDelete(request, o)),
    enginePurge: (request, o) => many(client.enginePurge(request, o)),
    snapshotSum: (request, o) => many(client.snapshotSum(request, o)),

    openSnapshot: (request, o) => one(client.openSnapshot(request, o)),
    closeSnapshot: (request, o) => none(client.closeSnapshot(request, o)),
    startBackup: (request, o) => many(client.startBackup(request, o)),
    startRestore: (request, o) => many(client.startRestore(request, o)),
    startClone: (request, o) => many(client.startClone(request, o)),
    inspectDisk: (path, o) => one(client.inspectDisk({ path }, o)),
    registerDisk: (request, o) => none(client.registerDisk(request, o)),
    listReplicaFolders: (path, o) => many(client.listReplicaFolders({ path }, o)),
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}

async function* known(
  events: AsyncIterable<Parameters<typeof eventFromWire>[0]>,
): AsyncGenerator<InstanceEvent, void, undefined> {
  for await (const event of events) {
    const read = eventFromWire(event);
    if (read !== undefined) yield read;
  }
}
