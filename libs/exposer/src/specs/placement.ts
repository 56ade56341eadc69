import type {
  Affinity,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PersistentVolume,
  StorageClass,
} from '@lateen/api-types';

const notWindows = { key: 'kubernetes.io/os', operator: 'NotIn' as const, values: ['windows'] };

/** Terms are alternatives, so a requirement for every node is added to each of them. No terms means that any node is allowed. */
export function requiredInEach(
  terms: readonly NodeSelectorTerm[],
  requirements: readonly NodeSelectorRequirement[],
): NodeSelectorTerm[] {
  if (requirements.length === 0) return [...terms];
  return (terms.length === 0 ? [{}] : terms).map((term) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), ...requirements],
  }));
}

/** Excludes the nodes with these names. */
export function notOn(nodes: readonly string[]): NodeSelectorRequirement[] {
  return nodes.length === 0 ? [] : [{ key: 'kubernetes.io/hostname', operator: 'NotIn', values: [...nodes] }];
}

/** Node affinity of a hosting pod: one of the terms, and never a Windows node (data-movement.md section 4). */
export function hostingPodAffinity(terms: readonly NodeSelectorTerm[]): Affinity {
  return {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: requiredInEach(terms, [notWindows]) },
    },
  };
}

/**
 * The nodes for the copy of a snapshot: with a WaitForFirstConsumer class the copy is made where the pod runs, and a snapshot of
 * a volume that only some nodes reach is available only there (data-movement.md section 4, step 5).
 */
export function snapshotTopology(storageClass: StorageClass, source: PersistentVolume | undefined): NodeSelectorTerm[] {
  if (storageClass.volumeBindingMode !== 'WaitForFirstConsumer') return [];
  return source?.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
}
