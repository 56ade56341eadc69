import {
  configMapType,
  type KubeObject,
  type ResourceType,
  type Restore,
  volumeGroupSnapshotContentType,
} from '@lateen/api-types';
import { dataUploadResultsOf, groupStubsOf } from '@lateen/item-actions';
import { deleteIfThere, isNotFound, type KubeApi, listAll } from '@lateen/kube';
import type { VolumePorts } from './finalize-volumes.ts';

/** Deletes what the restore has made for its own work, and nobody needs any more. Safe to repeat. */
export async function takeAids(
  { kube, veleroNamespace: namespace }: Pick<VolumePorts, 'kube' | 'veleroNamespace'>,
  restore: Restore,
  signal: AbortSignal,
): Promise<void> {
  await deleteAll(kube, configMapType, { namespace, labelSelector: dataUploadResultsOf(restore), signal });
  await deleteAll(kube, volumeGroupSnapshotContentType, { labelSelector: groupStubsOf(restore), signal });
}

async function deleteAll<T extends KubeObject>(
  kube: KubeApi,
  type: ResourceType<T>,
  options: { namespace?: string; labelSelector: string; signal: AbortSignal },
): Promise<void> {
  for (const object of await listed(kube, type, options)) await deleteIfThere(kube, type, object, options.signal);
}

/** None when the cluster does not know the kind. */
async function listed<T extends KubeObject>(
  kube: KubeApi,
  type: ResourceType<T>,
  options: Parameters<typeof listAll>[2],
): Promise<T[]> {
  try {
    return (await listAll(kube, type, options)).items;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}
