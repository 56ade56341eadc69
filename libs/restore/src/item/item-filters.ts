import { type ArchivedResource, type ItemFacts, type RestoreFilters, restoreFilters } from '@lateen/item-filters';
import type { DiscoveredType } from '@lateen/kube';
import type { CatalogItem, RestoreEngineRequest } from '../engine/contract.ts';

/** Compiles the filters of a restore. `types`: what the target cluster serves; the resources of the archive are added. */
export function compileFilters(
  { restore, policies, catalog }: Pick<RestoreEngineRequest, 'restore' | 'policies' | 'catalog'>,
  types: readonly DiscoveredType[],
): RestoreFilters {
  const archived = new Map<string, ArchivedResource>();
  for (const { groupResource, kind, namespace } of catalog.items) {
    if (!archived.has(groupResource))
      archived.set(groupResource, { groupResource, kind, namespaced: namespace !== undefined });
  }
  return restoreFilters({ spec: restore.spec, policies, types, archived: archived.values() });
}

/** The facts that filters check. */
export const factsOf = ({ groupResource, kind, namespace, name, labels, isTerminating }: CatalogItem): ItemFacts => ({
  groupResource,
  kind,
  namespaced: namespace !== undefined,
  namespace,
  name,
  labels,
  isTerminating,
});
