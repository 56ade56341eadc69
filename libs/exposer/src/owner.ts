import type { OwnerReference } from '@lateen/api-types';

/**
 * The DataUpload or DataDownload that a volume is exposed for. Everything the exposer makes has its name, lies in its
 * namespace and carries it as owner (data-movement.md section 4).
 */
export interface ExposeOwner {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  /** metadata.creationTimestamp; absent when it is not known. What was made for it before is not younger. */
  createdAt?: string | undefined;
  /** The number of its present attempt; absent means the first. The hosting pod of an earlier one is replaced. */
  attempt?: number;
}

/** Without `blockOwnerDeletion`: deleting the owner must never hang on its pod. */
export function ownerReferenceTo(owner: ExposeOwner): OwnerReference {
  return { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name, uid: owner.uid, controller: true };
}
