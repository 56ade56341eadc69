import { decideOwner, type OwnedKind, ownerRules, preferredOwner } from '@lateen/volume-decisions';
import type { StorageObject } from '../frame/room.ts';
import type { RoomContext } from '../frame/room-context.ts';

type OwnerPorts = Pick<RoomContext, 'self' | 'managers' | 'caches'>;

/** Whether this manager works on an object, has to take it first, or leaves it to another manager. */
export function verdictOf(
  { self, managers, caches }: OwnerPorts,
  kind: OwnedKind,
  object: StorageObject,
): 'mine' | 'take' | 'leave' {
  const image = ownerRules[kind].needsImage ? textIn(object.spec, 'image') : '';
  const found = image === '' ? undefined : caches.engineImages.byIndex('image', image)[0];
  return decideOwner({
    self,
    current: ownerOf(object),
    preferred: preferredOwner(kind, object),
    nodes: managers.nodes(),
    available: managers.available,
    ...(found === undefined ? {} : { hasImage: (node: string) => found.status?.nodeDeploymentMap?.[node] === true }),
    key: `${kind}/${object.metadata.name}`,
  });
}

/**
 * For objects without an owner in their status: the manager of `preferred` works on it while it is available, else the manager that all managers
 * agree on. Two managers may do so for a moment: their writes are guarded.
 */
export function verdictFor(
  { self, managers }: Pick<OwnerPorts, 'self' | 'managers'>,
  { kind, metadata }: StorageObject,
  preferred: string,
): 'mine' | 'leave' {
  const { available } = managers;
  const verdict = decideOwner({
    self,
    current: '',
    preferred,
    nodes: managers.nodes(),
    available,
    key: `${kind}/${metadata.name}`,
  });
  return verdict === 'leave' ? 'leave' : 'mine';
}

/** `status.ownerID`; "" when there is no owner. */
export const ownerOf = ({ status }: StorageObject): string => textIn(status, 'ownerID');

function textIn(of: object | undefined, field: string): string {
  const value: unknown = of !== undefined && field in of ? of[field as keyof typeof of] : '';
  return typeof value === 'string' ? value : '';
}
