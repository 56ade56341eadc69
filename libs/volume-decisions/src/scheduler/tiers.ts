import type { AntiAffinityPolicies } from './anti-affinity.ts';
import type { NodeFacts } from './cluster-facts.ts';
import type { UsedPlaces } from './used-places.ts';

/** A set of nodes; all of them are tried before the next set. */
export interface Tier {
  readonly name: string;
  applies(policies: AntiAffinityPolicies): boolean;
  takes(node: NodeFacts, used: UsedPlaces): boolean;
}

/** In order of preference. A zone that must be new makes the node new, whatever the policy of nodes. */
export const tiers: readonly Tier[] = [
  {
    name: 'unusedZoneUnusedNode',
    applies: () => true,
    takes: (node, used) => !used.zones.has(node.zone) && !used.nodes.has(node.name),
  },
  {
    name: 'evictingOnly',
    applies: ({ zone }) => zone === 'hard',
    takes: (node, used) => !used.stayingZones.has(node.zone) && !used.stayingNodes.has(node.name),
  },
  {
    name: 'unusedNode',
    applies: ({ zone }) => zone === 'soft',
    takes: (node, used) => !used.nodes.has(node.name),
  },
  {
    name: 'nodeOfEvicting',
    applies: ({ zone, node }) => zone === 'soft' && node === 'hard',
    takes: (node, used) => !used.stayingNodes.has(node.name),
  },
  {
    name: 'usedNode',
    applies: ({ zone, node }) => zone === 'soft' && node === 'soft',
    takes: () => true,
  },
];
