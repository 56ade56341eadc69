import type { AttachmentSeen, Ticket } from './attachment-seen.ts';

/**
 * Tickets that no client removes any more: those of the CSI attacher for a node that is down, once Kubernetes has released the volume there, or a
 * person has declared the node out of service. They stay while the node may come back and Kubernetes keeps its attachment. Also those of the API for
 * a cordoned node, if the setting `detach-manually-attached-volumes-when-cordoned` removes them: a drain waits for the engine.
 */
export function lostTickets(seen: AttachmentSeen, tickets: readonly Ticket[]): string[] {
  return tickets
    .filter(({ type, nodeID = '' }) => {
      if (type === 'longhorn-api') return seen.leftNodes.has(nodeID);
      const down = seen.downNodes.get(nodeID);
      if (type !== 'csi-attacher' || down === undefined) return false;
      return down.outOfService || !seen.attachedByKubernetes.has(nodeID);
    })
    .map(({ id }) => id);
}
