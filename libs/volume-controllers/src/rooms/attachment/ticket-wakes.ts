import type { Node } from '@lateen/api-types';
import { keyOf, keyText } from '@lateen/kube';
import type { Watch } from '@lateen/kube-runtime';
import type { RoomContext } from '../../frame/room-context.ts';
import { isCordoned, isOutOfService } from '../../hosts/node-standing.ts';

/** Queues the tickets for a node when it is lost or returns, and when it is cordoned or declared out of service, or no longer is. */
export function watchedTicketNodes({ hosts, caches }: Pick<RoomContext, 'hosts' | 'caches'>): Watch {
  return {
    informer: caches.attachments,
    feed: (queue) => {
      const wake = (node: string): void => {
        for (const attachment of caches.attachments.list()) {
          const tickets = Object.values(attachment.spec.attachmentTickets ?? {});
          if (tickets.some(({ nodeID }) => nodeID === node)) queue.add(keyText(keyOf(attachment)));
        }
      };
      hosts.onChange(({ node, instances }) => {
        if (instances === 'all') wake(node);
      });
      caches.kubernetesNodes.onChange((change) => {
        if (change.type === 'updated' && standsAlike(change.previous, change.object)) return;
        wake(change.object.metadata.name ?? '');
      });
    },
  };
}

const standsAlike = (before: Node, after: Node): boolean =>
  isCordoned(before) === isCordoned(after) && isOutOfService(before) === isOutOfService(after);
