import type { OwnerReference } from '@lateen/api-types';

/**
 * The DataUpload or DataDownload for which a volume is exposed. Everything that the exposer makes has its name, is in its
 * namespace and has it as owner (data-movement.md section 4).
 */
export interface ExposeOwner {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  /**
   * metadata.creationTimestamp; absent when it is not known. Objects that were made for the movement before it are not younger.
   */
  createdAt?: string | undefined;
  /** The number of its present attempt; absent means the first. The hosting pod of an earlier one is replaced. */
  attempt?: number;
}

/** Without `blockOwnerDeletion`: the deletion of the owner must never wait for its pod. */
export function ownerReferenceTo(owner: ExposeOwner): OwnerReference {
  return { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name, uid: owner.uid, controller: true };
}
