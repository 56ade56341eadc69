import type { ClusterFacts } from '@lateen/volume-decisions';
import { nodeFacts } from '@lateen/volume-decisions';
import type { ManagerDirectory } from '../owner/manager-directory.ts';
import type { StorageCaches } from './storage-caches.ts';

/** All nodes as the scheduler sees them, worked out anew only when something of them has changed: every pass over a volume asks. */
export function clusterFactsOf(
  { nodes, kubernetesNodes, instanceManagers }: StorageCaches,
  managers: ManagerDirectory,
): () => ClusterFacts {
  let facts: ClusterFacts | undefined;
  const forget = () => {
    facts = undefined;
  };
  for (const cache of [nodes, kubernetesNodes, instanceManagers]) cache.onChange(forget);
  managers.onChange(forget);
  return () => {
    facts ??= {
      nodes: new Map(
        nodes.list().map((node) => {
          const { name = '' } = node.metadata;
          return [
            name,
            nodeFacts({
              node,
              kubernetesNode: kubernetesNodes.get({ name }),
              managerIsUp: managers.available(name),
              instanceManagers: instanceManagers.list(),
            }),
          ] as const;
        }),
      ),
    };
    return facts;
  };
}
