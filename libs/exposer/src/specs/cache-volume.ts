import { annotations, type PersistentVolumeClaim } from '@lateen/api-types';
import { type ExposeOwner, ownerReferenceTo } from '../owner.ts';
import type { CachePVC } from '../settings/exposure-settings.ts';

/** The volume's name in the pod, and where it is mounted; Velero's. */
export const cacheVolumeName = 'cachedir';
export const cacheVolumePath = '/cachedir';

export function cacheClaimName(owner: ExposeOwner): string {
  return `${owner.name}-cache`;
}

/**
 * How large a cache volume a restore of `dataBytes` gets, in GiB: the engine's limit and a fifth more, rounded up; 0 for
 * none, which is so when it is known that the data is less than the threshold (data-movement.md section 5).
 */
export function cacheVolumeGiB(cache: CachePVC | undefined, dataBytes: number | undefined): number {
  if (cache === undefined) return 0;
  const known = dataBytes !== undefined && dataBytes > 0;
  if (known && dataBytes < cache.residentThresholdInMB * 2 ** 20) return 0;
  return Math.ceil((cache.limitMB * 12) / (10 * 1024));
}

export interface CacheClaimInput {
  owner: ExposeOwner;
  storageClass: string;
  sizeGiB: number;
  /** Where the pod will run, when that is known already. */
  selectedNode: string | undefined;
}

export function cacheVolumeClaim(input: CacheClaimInput): PersistentVolumeClaim {
  const { owner, selectedNode } = input;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: cacheClaimName(owner),
      namespace: owner.namespace,
      ownerReferences: [ownerReferenceTo(owner)],
      ...(selectedNode === undefined ? {} : { annotations: { [annotations.selectedNode]: selectedNode } }),
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: input.storageClass,
      volumeMode: 'Filesystem',
      resources: { requests: { storage: `${input.sizeGiB}Gi` } },
    },
  };
}
