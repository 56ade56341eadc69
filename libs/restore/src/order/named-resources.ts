import type { CatalogItem } from '../engine/contract.ts';

/** The resource that a person means by a name; undefined: none that is known. */
export type NamedResource = (name: string) => string | undefined;

/**
 * Names of resources as people write them: `pods`, `Deployment.apps`, `clusters.postgresql.cnpg.io`. What the cluster does not know, since
 * its definition is restored only now, is looked for among what is there to be restored.
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

/** With a group it must be that one; `pods` means the pods of any group. */
function means(name: string, groupResource: string, kind: string): boolean {
  const [resource = '', ...group] = groupResource.split('.');
  const [named = '', ...namedGroup] = name.split('.');
  if (namedGroup.length > 0 && namedGroup.join('.') !== group.join('.')) return false;
  const lower = named.toLowerCase();
  return lower === kind.toLowerCase() || [lower, `${lower}s`, `${lower}es`].includes(resource);
}
