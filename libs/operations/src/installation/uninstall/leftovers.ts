import { persistentVolumeType, volumeSnapshotContentType } from '@lateen/api-types';
import { type KubeApi, listAll, listIfServed } from '@lateen/kube';

/**
 * Lists volumes and snapshot contents that still belong to the namespace, because a movement could not end or a class retains them. They cost
 * storage, and nothing else reports them.
 */
export async function leftoversOf(kube: KubeApi, namespace: string, signal: AbortSignal): Promise<string[]> {
  const volumes = await listAll(kube, persistentVolumeType, { signal });
  const contents = await listIfServed(kube, volumeSnapshotContentType, { signal });
  return [
    ...volumes.items
      .filter(({ spec }) => spec?.claimRef?.namespace === namespace)
      .map(({ metadata }) => `PersistentVolume ${metadata.name}`),
    ...contents
      .filter(({ spec }) => spec?.volumeSnapshotRef?.namespace === namespace)
      .map(({ metadata }) => `VolumeSnapshotContent ${metadata.name}`),
  ];
}
