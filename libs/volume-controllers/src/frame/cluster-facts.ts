import { type ClusterFacts, type NodeFacts, nodeFacts, type Settings } from '@lateen/volume-decisions';
import type { ManagerDirectory } from '../owner/manager-directory.ts';
import type { StorageCaches } from './storage-caches.ts';

/** All nodes as the scheduler sees them. Cached until one of them changes, because every pass over a volume reads them. */
export function clusterFactsOf(
  caches: Pick<StorageCaches, 'nodes' | 'kubernetesNodes' | 'instanceManagers' | 'engineImages' | 'settings'>,
  managers: Pick<ManagerDirectory, 'available' | 'onChange'>,
  settings: () => Settings,
): () => ClusterFacts {
  const { nodes, kubernetesNodes, instanceManagers, engineImages } = caches;
  let facts: ClusterFacts | undefined;
  const forget = () => {
    facts = undefined;
  };
  for (const cache of [nodes, kubernetesNodes, instanceManagers, engineImages, caches.settings]) cache.onChange(forget);
  managers.onChange(forget);
  return () => {
    if (facts !== undefined) return facts;
    const served = engineImages.list().flatMap(({ spec: { image }, status }) => (status?.incompatible ? [] : [image]));
    const defaultImage = settings().text('default-instance-manager-image');
    facts = {
      nodes: new Map(
        nodes.list().map((node) => {
          const { name = '' } = node.metadata;
          const found = nodeFacts({
            node,
            kubernetesNode: kubernetesNodes.get({ name }),
            managerIsUp: managers.available(name),
            instanceManagers: instanceManagers.list(),
          });
          return [name, withServed(found, defaultImage, served)] as const;
        }),
      ),
    };
    return facts;
  };
}

/** An instance manager of the present release serves volumes of the images of earlier ones too. */
const withServed = (node: NodeFacts, defaultImage: string, served: readonly string[]): NodeFacts =>
  node.engineImages.has(defaultImage) ? { ...node, engineImages: new Set([...node.engineImages, ...served]) } : node;
