import { type PersistentVolume, persistentVolumeType } from '@lateen/api-types';
import type { KubeApi } from '@lateen/kube';
import type { ExposeOwner } from '../owner.ts';
import { exposedForLabel } from '../specs/exposed-for.ts';

/** Volumes that a rebinding for this owner has marked; one, if any. */
export async function volumesMarkedFor(
  kube: KubeApi,
  owner: ExposeOwner,
  signal: AbortSignal,
): Promise<PersistentVolume[]> {
  const { items } = await kube.list(persistentVolumeType, { labelSelector: `${exposedForLabel}=${owner.uid}`, signal });
  return items;
}
