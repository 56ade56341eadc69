import type { KubeObject } from '@lateen/kube';

/** The status fields of DaemonSet and Deployment that tell how far a rollout is. */
export interface RolloutObject extends KubeObject {
  spec?: { replicas?: number };
  status?: {
    observedGeneration?: number;
    desiredNumberScheduled?: number;
    updatedNumberScheduled?: number;
    numberAvailable?: number;
    replicas?: number;
    updatedReplicas?: number;
    availableReplicas?: number;
  };
}

/** Undefined when every pod is of the newest template and available; else how far it is, for people. */
export function whatIsMissing(object: RolloutObject): string | undefined {
  const { status = {}, metadata } = object;
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0))
    return 'its controller has not seen the change yet';
  const [wanted, updated, available] =
    object.kind === 'DaemonSet'
      ? [status.desiredNumberScheduled ?? 0, status.updatedNumberScheduled ?? 0, status.numberAvailable ?? 0]
      : [object.spec?.replicas ?? 1, status.updatedReplicas ?? 0, status.availableReplicas ?? 0];
  if (object.kind === 'DaemonSet' && wanted === 0) return 'no node matches its node selector';
  if (object.kind === 'Deployment' && (status.replicas ?? 0) > updated)
    return 'pods of the old template are still there';
  if (updated < wanted) return `${updated} of ${wanted} pods have the new template`;
  return available < wanted ? `${available} of ${wanted} pods are available` : undefined;
}
