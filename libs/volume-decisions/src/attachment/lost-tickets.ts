import type { AttachmentSeen, Ticket } from './attachment-seen.ts';

/**
 * Tickets that nobody takes away any more: those of the CSI attacher for a node that is down, once Kubernetes has let go of the volume
 * there, or somebody has said that the node is out of service. While the node may come back and Kubernetes holds on they stay. And those of the API for a
 * node that is cordoned, where the setting `detach-manually-attached-volumes-when-cordoned` has them go: a drain waits for the engine.
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
