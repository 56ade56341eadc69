import type { PersistentVolume, Pod, VolumeAttachment } from '@lateen/api-types';
import { replicatedDriver } from '../../frame/persistent-volume-indexes.ts';
import type { DeletedPodsSeen } from './pods-to-delete.ts';

export interface DeletedAttachmentsSeen extends Pick<DeletedPodsSeen, 'volume' | 'isDown' | 'settings'> {
  readonly persistentVolume: PersistentVolume | undefined;
  /** The VolumeAttachments of the PersistentVolume. */
  readonly attachments: readonly VolumeAttachment[];
  /** The pods that use the volume. */
  readonly pods: readonly Pod[];
}

export interface AttachmentDeletion {
  readonly do: 'delete-attachment';
  readonly attachment: VolumeAttachment;
  readonly why: string;
}

/**
 * VolumeAttachments of Kubernetes that bind the volume to a node that is down and has no pod of it any more. Kubernetes waits for six minutes there,
 * because the node may still write; the generation of the next engine prevents that. Only with a `node-down-pod-deletion-policy` that frees volumes
 * of such nodes.
 */
export function attachmentsToDelete(seen: DeletedAttachmentsSeen): readonly AttachmentDeletion[] {
  const { volume, persistentVolume, attachments, pods, settings } = seen;
  if (persistentVolume === undefined || settings.text('node-down-pod-deletion-policy') === 'do-nothing') return [];
  return attachments
    .filter(({ metadata, spec }) => spec.attacher === replicatedDriver && metadata.deletionTimestamp === undefined)
    .filter(({ spec }) => seen.isDown(spec.nodeName) && !pods.some((pod) => pod.spec.nodeName === spec.nodeName))
    .map((attachment) => ({
      do: 'delete-attachment',
      attachment,
      why: `node ${attachment.spec.nodeName} is down, and no pod on it uses volume ${volume.metadata.name} any more`,
    }));
}
