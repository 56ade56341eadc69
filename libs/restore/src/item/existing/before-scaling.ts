import { annotations, type Restore, type Unstructured } from '@lateen/api-types';
import { replicasBefore } from '@lateen/item-actions';

/** Annotations that the Deployment's controller derives from the number of pods. */
const derived: readonly string[] = [
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
];

/**
 * Returns a workload that this restore has scaled down for writing into its volumes with its former scale, so that the temporary number of
 * pods does not count as a difference from the backup. Other objects are returned unchanged.
 */
export function asBeforeScaling(restore: Restore, there: Unstructured, wanted: Unstructured): Unstructured {
  const replicas = replicasBefore(restore, there);
  if (replicas === undefined) return there;
  const { [annotations.scaledDown]: _, ...noted } = there.metadata.annotations ?? {};
  const again = Object.entries(wanted.metadata.annotations ?? {}).filter(([key]) => derived.includes(key));
  return {
    ...there,
    metadata: { ...there.metadata, annotations: { ...noted, ...Object.fromEntries(again) } },
    spec: { ...(there.spec as Record<string, unknown>), replicas },
  };
}
