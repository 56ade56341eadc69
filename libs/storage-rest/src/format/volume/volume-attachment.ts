import type { VolumeAttachmentObject } from '@lateen/storage-types';
import type { JsonFields, Resource } from '../../envelope/resource.ts';
import { resource } from '../../envelope/resource.ts';
import { conditionList } from '../conditions.ts';
import { nameOf } from '../given.ts';

/** Who wants a volume on which node, and whether it is there. */
export function attachmentFields({ spec, status }: VolumeAttachmentObject): JsonFields {
  const attachments = Object.entries(spec.attachmentTickets ?? {}).map(([id, ticket]) => {
    const answer = status?.attachmentTicketStatuses?.[id];
    const fields: JsonFields = {
      attachmentID: ticket.id || id,
      attachmentType: ticket.type ?? '',
      nodeID: ticket.nodeID ?? '',
      parameters: ticket.parameters ?? {},
      // An answer to an earlier form of the request is none to this one.
      satisfied: answer?.satisfied === true && (answer.generation ?? 0) === (ticket.generation ?? 0),
      conditions: conditionList(answer?.conditions),
    };
    return [id, fields];
  });
  return { volume: spec.volume, attachments: Object.fromEntries(attachments) };
}

export const volumeAttachmentResource = (object: VolumeAttachmentObject, base: string): Resource =>
  resource({ type: 'volumeAttachment', id: nameOf(object), fields: attachmentFields(object) }, base);
