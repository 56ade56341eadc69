import type { KubeObject } from '@lateen/kube';
import type { Volume } from '@lateen/storage-types';
import type { StorageCaches } from './storage-caches.ts';

/** The Volume of that name, from the cache. */
export const volumeOf = (
  { volumes }: Pick<StorageCaches, 'volumes'>,
  namespace: string,
  name: string,
): Volume | undefined => volumes.get({ namespace, name });

/** The identity of the volume that an Engine or Replica belongs to; a volume that is gone is still named by what it owned. */
export function volumeUidOf(
  caches: Pick<StorageCaches, 'volumes'>,
  object: KubeObject & { readonly spec: { readonly volumeName?: string } },
): string | undefined {
  const { namespace = '', ownerReferences } = object.metadata;
  const owner = ownerReferences?.find(({ kind }) => kind === 'Volume')?.uid;
  return owner ?? volumeOf(caches, namespace, object.spec.volumeName ?? '')?.metadata.uid;
}
