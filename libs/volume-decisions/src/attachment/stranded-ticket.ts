import type { AttachmentSeen, Ticket } from './attachment-seen.ts';

/** A ticket that somebody made by the API and nobody takes away by itself, while a pod waits for the volume elsewhere. */
export interface Stranded {
  readonly ticket: string;
  /** Ids of the tickets of the CSI attacher that wait for it. */
  readonly blocks: readonly string[];
  /** Takes it away. */
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
