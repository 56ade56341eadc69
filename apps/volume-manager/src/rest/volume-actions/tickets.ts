import { ownerReferenceTo } from '@lateen/kube';
import type { VolumeIntent } from '@lateen/storage-rest';
import {
  longhornGroup,
  longhornVersion,
  storageLabels,
  type Volume,
  type VolumeAttachmentObject,
} from '@lateen/storage-types';

type TicketIntent = Extract<VolumeIntent, { do: 'put-ticket' | 'drop-tickets' }>;

/** The VolumeAttachment with changed tickets; undefined when nothing has to be written. */
export function changedAttachment(
  attachment: VolumeAttachmentObject | undefined,
  volume: Volume,
  intent: TicketIntent,
): VolumeAttachmentObject | undefined {
  const before = attachment?.spec.attachmentTickets ?? {};
  if (intent.do === 'put-ticket') {
    const { ticket } = intent;
    const object = attachment ?? newAttachment(volume);
    return { ...object, spec: { ...object.spec, attachmentTickets: { ...before, [ticket.id]: ticket } } };
  }
  const left = Object.entries(before).filter(([id]) => !intent.ids.includes(id));
  if (attachment === undefined || left.length === Object.keys(before).length) return undefined;
  return { ...attachment, spec: { ...attachment.spec, attachmentTickets: Object.fromEntries(left) } };
}

/** Created when it does not exist yet; it has the name of its volume and is deleted with it. */
const newAttachment = (volume: Volume): VolumeAttachmentObject => ({
  apiVersion: `${longhornGroup}/${longhornVersion}`,
  kind: 'VolumeAttachment',
  metadata: {
    name: volume.metadata.name ?? '',
    ...(volume.metadata.namespace === undefined ? {} : { namespace: volume.metadata.namespace }),
    labels: { [storageLabels.volume]: volume.metadata.name ?? '' },
    ownerReferences: [ownerReferenceTo(volume)],
  },
  spec: { volume: volume.metadata.name ?? '', attachmentTickets: {} },
});
