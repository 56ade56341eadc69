import { keyOf, keyText } from '@lateen/kube';
import type { Watch } from '@lateen/kube-runtime';
import type { RoomContext } from '../../frame/room-context.ts';

/** Tickets for a node that is lost or comes back are decided anew. */
export function watchedTicketNodes({ hosts, caches }: Pick<RoomContext, 'hosts' | 'caches'>): Watch {
  return {
    informer: caches.attachments,
    feed: (queue) => {
      hosts.onChange(({ node, instances }) => {
        if (instances !== 'all') return;
        for (const attachment of caches.attachments.list()) {
          const tickets = Object.values(attachment.spec.attachmentTickets ?? {});
          if (tickets.some(({ nodeID }) => nodeID === node)) queue.add(keyText(keyOf(attachment)));
        }
      });
    },
  };
}
