import type { ReplicaControl } from '@lateen/block-engine';
import { connectTcp, connectUnix, type ServiceClient, type TcpPeer } from '@lateen/grpc';
import { apiHeaders } from './api-header.ts';
import { ReplicaManagerClient, type ReplicaManagerServer } from './generated/instance.ts';
import type { HostClientOptions } from './host-client.ts';
import { withHostErrors } from './host-error-of.ts';

type Options = Omit<HostClientOptions, 'clock'>;

/**
 * The replicas of a node, for an engine, over TCP (lazily: the first call connects). Dispose to close.
 * @throws AppError `TLS_FILES`
 */
export async function connectReplicaControl(
  peer: Omit<TcpPeer, 'headers'>,
  { api }: Options = {},
): Promise<ReplicaControl & Disposable> {
  const client = await connectTcp<ReplicaManagerServer>({ ...peer, headers: apiHeaders(api) }, ReplicaManagerClient);
  return controlOf(client, `${peer.host}:${peer.port}`);
}

/** As {@link connectReplicaControl}, over a unix socket. */
export function connectReplicaControlUnix(endpoint: string, { api }: Options = {}): ReplicaControl & Disposable {
  const client = connectUnix<ReplicaManagerServer>(endpoint, ReplicaManagerClient, { headers: apiHeaders(api) });
  return controlOf(client, endpoint);
}

function controlOf(
  client: ServiceClient<ReplicaManagerServer> & Disposable,
  place: string,
): ReplicaControl & Disposable {
  const { one, none, many } = withHostErrors(place);
  return {
    layers: (request, o) => one(client.layers(request, o)),
    prepareSnapshot: (request, o) => none(client.prepareSnapshot(request, o)),
    snapshot: (request, o) => none(client.snapshot(request, o)),
    cancelSnapshot: (request, o) => none(client.cancelSnapshot(request, o)),
    revert: (request, o) => none(client.revert(request, o)),
    markRemoved: (request, o) => none(client.markRemoved(request, o)),
    purge: (request, o) => many(client.purge(request, o)),
    grow: (request, o) => none(client.grow(request, o)),
    beginRebuild: (request, o) => none(client.beginRebuild(request, o)),
    copyLayers: (request, o) => many(client.copyLayers(request, o)),
    attachLayers: (request, o) => none(client.attachLayers(request, o)),
    compared: (request, o) => none(client.compared(request, o)),
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}
