import type { KubeObject } from '@lateen/kube';
import type { RoomContext } from '../frame/room-context.ts';
import { ownerOf, verdictOf } from './ownership.ts';

/**
 * Engines and replicas are looked after once they have a node: before that there is nothing to do about them, and an owner would be written
 * that is another one a moment later.
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
