import type { CatalogItem } from '../engine/contract.ts';

/** The resource that a user means by a name; undefined: no known resource. */
export type NamedResource = (name: string) => string | undefined;

/**
 * Resolves names of resources as users write them: `pods`, `Deployment.apps`, `clusters.postgresql.cnpg.io`. A resource whose CRD is only now
 * being restored is unknown to the cluster, and is looked up among the objects of the restore.
 */
export function namedResources(
  present: Iterable<Pick<CatalogItem, 'groupResource' | 'kind'>>,
  discovered: NamedResource,
): NamedResource {
  const kinds = new Map<string, string>();
  for (const { groupResource, kind } of present) if (!kinds.has(groupResource)) kinds.set(groupResource, kind);
  const sorted = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1));
  return (name) => {
    if (kinds.has(name)) return name;
    return discovered(name) ?? sorted.find(([groupResource, kind]) => means(name, groupResource, kind))?.[0];
  };
}

/** A name with a group must match that group; `pods` means the pods of any group. */
function means(name: string, groupResource: string, kind: string): boolean {
  const [resource = '', ...group] = groupResource.split('.');
  const [named = '', ...namedGroup] = name.split('.');
  if (namedGroup.length > 0 && namedGroup.join('.') !== group.join('.')) return false;
  const lower = named.toLowerCase();
  return lower === kind.toLowerCase() || [lower, `${lower}s`, `${lower}es`].includes(resource);
}
