import {
  configMapType,
  type KubeObject,
  type ResourceType,
  type Restore,
  volumeGroupSnapshotContentType,
} from '@lateen/api-types';
import { dataUploadResultsOf, groupStubsOf } from '@lateen/item-actions';
import { deleteIfThere, type KubeApi, listIfServed } from '@lateen/kube';
import type { VolumePorts } from './volumes-to-finalize.ts';

/** Deletes temporary objects of the restore that are no longer needed. Safe to repeat. */
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
  for (const object of await listIfServed(kube, type, options)) await deleteIfThere(kube, type, object, options.signal);
}
