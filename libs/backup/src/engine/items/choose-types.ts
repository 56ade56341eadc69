import { canBeBackedUp } from '@lateen/item-filters';
import type { DiscoveredType } from '@lateen/kube';
import { type EngineActions, type ItemType, itemType } from './item-type.ts';

/** Resources that two groups serve; they are taken from the group that comes first (backup-and-restore.md section 2). */
const cohabiting: Readonly<Record<string, readonly string[]>> = {
  deployments: ['extensions', 'apps'],
  daemonsets: ['extensions', 'apps'],
  replicasets: ['extensions', 'apps'],
  networkpolicies: ['extensions', 'networking.k8s.io'],
  events: ['', 'events.k8s.io'],
};

/** The members of item blocks come first within the core group. */
const firstInCore = ['pods', 'persistentvolumeclaims', 'persistentvolumes'];

/**
 * The resource types that a backup can take, in the order of listing: types that can be listed and created, in the version that the server
 * prefers (`allVersions`: in each version), and none twice.
 */
export function chooseTypes(
  discovered: readonly DiscoveredType[],
  actions: EngineActions,
  options: { allVersions: boolean },
): ItemType[] {
  const groupOf = new Map<string, string>();
  return discovered
    .filter(canBeBackedUp)
    .filter(({ preferred }) => preferred || options.allVersions)
    .toSorted((a, b) => rank(a) - rank(b))
    .filter(({ group, resource }) => {
      if (!(cohabiting[resource]?.includes(group) ?? false)) return true;
      const first = groupOf.get(resource) ?? group;
      groupOf.set(resource, first);
      return first === group;
    })
    .map((type) => itemType(type, actions));
}

/** The rank of a type; types of the same rank keep the server's order. */
function rank({ group, resource }: DiscoveredType): number {
  if (group === 'extensions') return firstInCore.length + 1;
  const first = group === '' ? firstInCore.indexOf(resource) : -1;
  return first < 0 ? firstInCore.length : first;
}
