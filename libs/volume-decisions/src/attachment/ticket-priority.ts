import type { AttachmentTicket, TicketType } from '@lateen/storage-types';

/** Who goes first; types that are not named have 800. */
const priorities: Readonly<Partial<Record<TicketType, number>>> = {
  'volume-restore-controller': 2000,
  'volume-expansion-controller': 2000,
  'longhorn-api': 1000,
  'csi-attacher': 900,
  'salvage-controller': 900,
  'share-manager-controller': 900,
};

export const ticketPriority = (ticket: Pick<AttachmentTicket, 'type'>): number =>
  (ticket.type === undefined ? undefined : priorities[ticket.type]) ?? 800;
