import type { AttachmentTicket, TicketType, Volume, VolumeAttachmentObject } from '@lateen/storage-types';
import { type ClusterFacts, needsOfflineRebuild } from '@lateen/volume-decisions';
import type { RoomContext } from '../../frame/room-context.ts';

/** By a ticket of this type a volume is attached for nothing but the rebuild of its replicas. */
export const rebuildTicket: TicketType = 'volume-rebuilding-controller';

/** Until a volume that waits for others is looked at again. */
export const offlineRetryMs = 30_000;

/** `needed`: the volume lacks replicas that can be rebuilt. `begin`: and its node may have one more such volume attached. */
export interface OfflineRebuild {
  readonly needed: boolean;
  readonly begin: boolean;
}

const isRebuildOn =
  (node: string) =>
  ({ type, nodeID }: AttachmentTicket): boolean =>
    type === rebuildTicket && nodeID === node;

/**
 * Whether the volume is to be attached so that its replicas are rebuilt. As many volumes are attached to a node for that as may be rebuilt on one, or all
 * volumes of a node that was lost would come at once; whoever has its ticket keeps it.
 */
export function offlineRebuild(
  { caches, settings, self }: Pick<RoomContext, 'caches' | 'settings' | 'self'>,
  cluster: () => ClusterFacts,
  attachment: VolumeAttachmentObject,
  volume: Volume,
): OfflineRebuild {
  const { name = '' } = volume.metadata;
  const engine = caches.engines.byIndex('volume', name)[0];
  const needed = needsOfflineRebuild({
    volume,
    ...(engine === undefined ? {} : { engine }),
    replicas: caches.replicas.byIndex('volume', name),
    cluster: cluster(),
    settings: settings(),
  });
  if (!needed) return { needed, begin: false };
  const hasIt = Object.values(attachment.spec.attachmentTickets ?? {}).some(({ type }) => type === rebuildTicket);
  const limit = settings().number('concurrent-replica-rebuild-per-node-limit');
  const others = caches.attachments
    .list()
    .filter(({ spec }) => Object.values(spec.attachmentTickets ?? {}).some(isRebuildOn(self))).length;
  return { needed, begin: hasIt || others < limit };
}
