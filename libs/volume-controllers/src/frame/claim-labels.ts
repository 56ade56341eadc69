import type { Volume } from '@lateen/storage-types';
import type { RoomContext } from './room-context.ts';

/** Labels of the PersistentVolumeClaim of a volume; undefined where there is none. */
export function claimLabelsOf(
  { caches }: Pick<RoomContext, 'caches'>,
  { status }: Volume,
): Record<string, string> | undefined {
  const { namespace = '', pvcName: name = '' } = status?.kubernetesStatus ?? {};
  return name === '' ? undefined : caches.claims.get({ namespace, name })?.metadata.labels;
}
