import type { KubeObject, OwnerReference } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

/**
 * The reference that ties a dependent to its owner, so that the garbage collector removes it with the owner.
 * @throws OWNER_NOT_STORED when the object does not come from the API (no uid)
 */
export function ownerReferenceTo(owner: KubeObject, options: { controller?: boolean } = {}): OwnerReference {
  const { name, uid } = owner.metadata;
  if (name === undefined || uid === undefined) {
    throw new AppError('OWNER_NOT_STORED', `${owner.kind} ${name ?? ''} has no uid, so nothing can be owned by it`);
  }
  const reference = { apiVersion: owner.apiVersion, kind: owner.kind, name, uid };
  return options.controller === true ? { ...reference, controller: true } : reference;
}

/** True when `object` names `owner` (by uid) among its owners. */
export const isOwnedBy = (object: KubeObject, owner: KubeObject): boolean =>
  object.metadata.ownerReferences?.some((reference) => reference.uid === owner.metadata.uid) ?? false;
