import { type KubeApi, keyOf } from '@lateen/kube';
import type { Movement, MovementKind } from '../kinds/movement-kind.ts';
import { isForeign, waitingNote } from './status-notes.ts';

/**
 * Writes to status.message what a movement waits for, guarded by its resourceVersion. Makes no call when the message is there
 * already, or another writer's message is.
 * @throws KUBE_CONFLICT when the object has changed meanwhile
 */
export async function writeWaitingNote<T extends Movement>(
  { kube, kind }: { kube: KubeApi; kind: MovementKind<T> },
  object: T,
  cause: string,
  signal: AbortSignal,
): Promise<void> {
  const present = object.status?.message;
  const message = waitingNote(cause, present);
  if (message === present || isForeign(present)) return;
  const body = { metadata: { resourceVersion: object.metadata.resourceVersion }, status: { message } };
  await kube.patch(kind.type, keyOf(object), { type: 'merge', body }, { signal });
}
