import type { AttachmentTicket, Volume, VolumeAttachmentObject } from '@lateen/storage-types';
import { type ClusterFacts, offlineWork, type ReplicaTicket, replicaTickets } from '@lateen/volume-decisions';
import type { RoomContext } from '../../frame/room-context.ts';

/** Delay until a volume that waits for others is checked again. */
export const offlineRetryMs = 30_000;

/** The ticket that a volume may have for work on its replicas, as long as no client requests it; or what it waits for. */
export type OfflineAttachment = { readonly ticket: ReplicaTicket } | { readonly waitsFor: string } | undefined;

/** The volume is attached only to work on its replicas. */
export const isForReplicas = ({ type }: AttachmentTicket): boolean => replicaTickets.some((each) => each === type);

/**
 * Whether the volume is attached so that its replicas are rebuilt, or move. Only as many volumes are attached to a node for this as may be rebuilt on
 * one node; otherwise all volumes of a node that was lost or is being emptied would come at once. A volume that has its ticket keeps it.
 */
export function offlineAttachment(
  { caches, hosts, settings, self, clock }: Pick<RoomContext, 'caches' | 'hosts' | 'settings' | 'self' | 'clock'>,
  cluster: () => ClusterFacts,
  attachment: VolumeAttachmentObject,
  volume: Volume,
): OfflineAttachment {
  const { name = '' } = volume.metadata;
  const engine = caches.engines.byIndex('volume', name)[0];
  const replicas = caches.replicas.byIndex('volume', name);
  const nodes = replicas.map(({ spec }) => spec.nodeID ?? '').filter((node) => node !== '');
  const seen = {
    volume,
    ...(engine === undefined ? {} : { engine }),
    replicas,
    cluster: cluster(),
    downNodes: new Set(nodes.filter((node) => hosts.isLost(node))),
    settings: settings(),
  };
  const work = offlineWork(seen, clock.now());
  if (work === undefined || 'waitsFor' in work) return work;
  if (Object.values(attachment.spec.attachmentTickets ?? {}).some(isForReplicas)) return work;
  const limit = settings().number('concurrent-replica-rebuild-per-node-limit');
  const others = caches.attachments.list().filter(({ spec }) => isThere(spec.attachmentTickets ?? {}, self)).length;
  if (others < limit) return work;
  return { waitsFor: 'the maximum number of volumes is attached for work on their replicas' };
}

const isThere = (tickets: Readonly<Record<string, AttachmentTicket>>, node: string): boolean =>
  Object.values(tickets).some((ticket) => isForReplicas(ticket) && ticket.nodeID === node);
