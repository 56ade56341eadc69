import { annotations, type Restore, type Unstructured } from '@lateen/api-types';
import { replicasBefore } from '@lateen/item-actions';

/** What the Deployment's controller writes on its ReplicaSets out of the number of pods. */
const derived: readonly string[] = [
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
];

/**
 * A workload that this restore has scaled down to write into its volumes, as it was before and will be after: how few pods it has for the
 * time is no difference from the backup. Anything else as it is.
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
