import type { AttachmentSeen, Ticket } from './attachment-seen.ts';

/** A ticket that a client created through the API and that is not removed automatically, while a pod waits for the volume on another node. */
export interface Stranded {
  readonly ticket: string;
  /** Ids of the tickets of the CSI attacher that wait for it. */
  readonly blocks: readonly string[];
  /** The command that removes the ticket. */
  readonly command: string;
}

export function strandedTicket(
  seen: AttachmentSeen,
  served: Ticket | undefined,
  tickets: readonly Ticket[],
): Stranded | undefined {
  if (served?.type !== 'longhorn-api') return undefined;
  const blocks = tickets.filter(({ type, nodeID }) => type === 'csi-attacher' && nodeID !== served.nodeID);
  if (blocks.length === 0) return undefined;
  return { ticket: served.id, blocks: blocks.map(({ id }) => id).sort(), command: removeCommand(seen, served.id) };
}

function removeCommand({ namespace, volume }: AttachmentSeen, id: string): string {
  const path = `/spec/attachmentTickets/${id.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const patch = JSON.stringify([{ op: 'remove', path }]).replaceAll("'", "'\\''");
  return `kubectl patch volumeattachments.longhorn.io ${volume} -n ${namespace} --type json -p '${patch}'`;
}
