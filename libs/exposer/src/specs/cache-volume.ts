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
 * The size, in GiB, of the cache volume for a restore of `dataBytes`: the engine's limit plus a fifth, rounded up. 0 means no
 * cache volume, when the data is known to be less than the threshold (data-movement.md section 5).
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
  /** The node on which the pod will run, when that is known already. */
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
