import { type KubeObject, namespaceType } from '@lateen/api-types';
import { readObject } from '@lateen/kube';
import type { RoomContext } from '../frame/room-context.ts';

/**
 * Whether an object is being deleted because its whole namespace is: then nobody asked to delete the data behind it. The namespace is read from the
 * API server each time, never from a cache: an object that was deleted before its namespace was deleted for itself; one that was deleted later has a
 * namespace that is being deleted. A missing namespace counts as being deleted.
 * @throws KUBE_* when it cannot be read: then nothing is decided
 */
export async function goesWithNamespace(
  { kube, namespace, log }: RoomContext,
  { kind, metadata }: KubeObject,
  signal: AbortSignal,
): Promise<boolean> {
  if (metadata.deletionTimestamp === undefined) return false;
  const found = await readObject(kube, namespaceType, { name: namespace }, signal);
  if (found !== undefined && found.metadata.deletionTimestamp === undefined) return false;
  const what = 'the namespace is being deleted: what the object stands for stays on the backup target';
  log.info({ kind, name: metadata.name }, what);
  return true;
}
