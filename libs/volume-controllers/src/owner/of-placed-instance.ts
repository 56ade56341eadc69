import type { KubeObject } from '@lateen/kube';
import type { RoomContext } from '../frame/room-context.ts';
import { ownerOf, verdictOf } from './ownership.ts';

/**
 * Engines and replicas get an owner once they have a node: before that there is no work for them, and the owner would
 * change a moment later.
 */
export function ofPlacedInstance(
  context: RoomContext,
  kind: 'Engine' | 'Replica',
  object: KubeObject & { readonly spec: { readonly nodeID?: string }; readonly status?: { readonly ownerID?: string } },
): 'mine' | 'take' | 'leave' {
  const isFree = (object.spec.nodeID ?? '') === '' && ownerOf(object) === '';
  if (isFree && object.metadata.deletionTimestamp === undefined) return 'leave';
  return verdictOf(context, kind, object);
}
