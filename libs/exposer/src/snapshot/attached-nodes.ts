import { volumeAttachmentType } from '@lateen/api-types';
import { type KubeApi, listAll } from '@lateen/kube';

/** The nodes that a volume is attached to. */
export async function attachedNodes(kube: KubeApi, volume: string, signal: AbortSignal): Promise<string[]> {
  const { items } = await listAll(kube, volumeAttachmentType, { signal });
  return items.filter(({ spec }) => spec.source.persistentVolumeName === volume).map(({ spec }) => spec.nodeName);
}
