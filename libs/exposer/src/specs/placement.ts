import type { Affinity, NodeSelectorTerm, PersistentVolume, StorageClass } from '@lateen/api-types';

const notWindows = { key: 'kubernetes.io/os', operator: 'NotIn' as const, values: ['windows'] };

/**
 * Node affinity of a hosting pod: never a Windows node, and where the volume can be reached. Terms are alternatives, so
 * the operating system is required in each of them (data-movement.md section 4).
 */
export function hostingPodAffinity(topologyTerms: readonly NodeSelectorTerm[]): Affinity {
  const terms = topologyTerms.length === 0 ? [{}] : topologyTerms;
  return {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: terms.map((term) => ({
          ...term,
          matchExpressions: [...(term.matchExpressions ?? []), notWindows],
        })),
      },
    },
  };
}

/**
 * Where the copy of a snapshot has to live: with a WaitForFirstConsumer class it is made where the pod runs, and a
 * snapshot of a volume that only some nodes reach is only there (data-movement.md section 4, step 5).
 */
export function snapshotTopology(storageClass: StorageClass, source: PersistentVolume | undefined): NodeSelectorTerm[] {
  if (storageClass.volumeBindingMode !== 'WaitForFirstConsumer') return [];
  return source?.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
}
