import { hostError } from '@lateen/block-engine';
import { generationOf, type Volume } from '@lateen/storage-types';
import { type CloneEffect, type CloneSeen, cloneTransferName } from '@lateen/volume-decisions';
import type { Pass } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { beginTransfer, stopTransferOn } from '../../hosts/transfers.ts';

type Ports = Pick<RoomContext, 'caches' | 'hosts' | 'namespace' | 'clock'>;

/** Starts the copy on the node of the clone's engine, where it continues without this process. @throws the error of the host */
export async function startClone(
  { caches, hosts, namespace, clock }: Ports,
  { attempt, replica }: Extract<CloneEffect, { do: 'start-clone' }>,
  { object, seen, signal }: Pass<Volume, CloneSeen>,
): Promise<void> {
  const { engine } = seen;
  const { name: volume = '', status } = { ...object.metadata, status: object.status };
  const node = engine?.spec.nodeID ?? '';
  const sourceNode = caches.replicas.get({ namespace, name: replica })?.spec.nodeID ?? '';
  const sourceManager = hosts.managers().get(sourceNode);
  if (sourceManager === undefined) throw hostError('HOST_UNREACHABLE', `no instance manager runs on ${sourceNode}`);
  const request = {
    clone: cloneTransferName(volume, attempt),
    volume,
    engine: engine?.metadata.name ?? '',
    generation: (engine && generationOf(engine)) ?? 0,
    sourceVolume: status?.cloneStatus?.sourceVolume ?? '',
    sourceReplica: replica,
    sourceManager,
    snapshot: status?.cloneStatus?.snapshot ?? '',
    // An earlier attempt has written data of the same snapshot; when that snapshot is gone, the clone has failed anyway.
    isNew: true,
    detached: true,
  };
  await beginTransfer({ clock }, (call) => hosts.host(node).startClone(request, call), signal);
}

/** Stops the copy on every node, because the engine may have moved. Hosts that do not answer are skipped: no client writes to their engine then. */
export async function stopClone(
  { caches, ...ports }: Ports,
  { metadata }: Volume,
  attempt: number,
  signal: AbortSignal,
): Promise<void> {
  const nodes = caches.nodes.list().map((node) => node.metadata.name ?? '');
  await stopTransferOn(ports, nodes, cloneTransferName(metadata.name ?? '', attempt), signal);
}
