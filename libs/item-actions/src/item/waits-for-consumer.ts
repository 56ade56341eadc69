import { annotations, type PersistentVolumeClaim, storageClassType } from '@lateen/api-types';
import { type KubeApi, readObject } from '@lateen/kube';

/** Whether a claim gets no volume before a pod that uses it is scheduled, which may never happen. */
export async function waitsForConsumer(
  kube: KubeApi,
  { metadata, spec, status }: PersistentVolumeClaim,
  signal: AbortSignal,
): Promise<boolean> {
  const isBound = status?.phase === 'Bound' && (spec.volumeName ?? '') !== '';
  const isChosen = (metadata.annotations?.[annotations.selectedNode] ?? '') !== '';
  if (isBound || isChosen) return false;
  const storageClass = await readObject(kube, storageClassType, { name: spec.storageClassName ?? '' }, signal);
  return storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
}
