import type { AttachmentTicket, TicketType } from '@lateen/storage-types';

/** The priority of each type of ticket; types that are not listed have 800. */
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
