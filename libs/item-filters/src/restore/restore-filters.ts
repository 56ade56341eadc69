import type { RestoreSpec } from '@lateen/api-types';
import type { DiscoveredType } from '@lateen/kube';
import { chosenChecks, firstLeftOut } from '../items/item-checks.ts';
import { type Decision, type ItemFacts, type ItemOrigin, included } from '../items/item-facts.ts';
import { nameFilter } from '../names/name-lists.ts';
import { fineFilterWarnings } from '../policies/fine-filter-warnings.ts';
import { fineFilters, policyByNamespace, selectorsOf } from '../policies/fine-filters.ts';
import type { ResourcePolicies } from '../policies/resource-policies.ts';
import { resolvedLists, restoreResourceChoice } from '../resources/resource-choice.ts';
import { resourceNames } from '../resources/resource-names.ts';

/** The filters of one restore, compiled once and asked for every object of the archive. Namespaces are those of the backup. */
export interface RestoreFilters {
  /** True when no namespace is excluded and none was chosen: all cluster-scoped objects are restored, not only those that others need. */
  readonly allNamespaces: boolean;
  /** Settings that are allowed but have no effect; for the log of the restore. */
  readonly warnings: readonly string[];
  decide(item: ItemFacts, origin?: ItemOrigin): Decision;
  /** Whether `spec.restoreStatus` names the resource: its objects are restored with their status. */
  restoresStatus(groupResource: string): boolean;
}

export interface RestoreFiltersInput {
  spec: RestoreSpec;
  policies?: ResourcePolicies | undefined;
  /** The types that the target cluster serves. */
  types: readonly DiscoveredType[];
  /** The resources in the archive: names of resources may also mean these when the cluster does not serve them yet. */
  archived?: Iterable<ArchivedResource>;
}

export interface ArchivedResource {
  /** `deployments.apps`. */
  groupResource: string;
  kind: string;
  namespaced: boolean;
}

/**
 * Always restored, whatever the filters say, because a restore learns from DataUploads where the data of volumes is (after-1.18.1.md 1A).
 * Their action prevents their creation.
 */
export const alwaysRestored = 'datauploads.velero.io';

/** Compiles a spec without `validateRestoreFilters` errors. Pure; caches its answers about resources and namespaces. */
export function restoreFilters({ spec, policies, types, archived = [] }: RestoreFiltersInput): RestoreFilters {
  const names = resourceNames([...types, ...Array.from(archived, typeOf)]);
  const namespaces = nameFilter({ included: spec.includedNamespaces, excluded: spec.excludedNamespaces });
  const resource = restoreResourceChoice(spec, names, namespaces.everything);
  const fine = policyByNamespace(policies?.namespacedFilterPolicies ?? [], names);
  const ofCluster = policies?.clusterScopedFilterPolicy;
  const clusterScoped = ofCluster && fineFilters(ofCluster.resourceFilters, 'clusterScopedFilterPolicy', names);
  const selector = selectorsOf([...(spec.labelSelector ? [spec.labelSelector] : []), ...(spec.orLabelSelectors ?? [])]);
  const checks = chosenChecks('restore', {
    namespaces: { includes: namespaces.matches },
    resource,
    policyOf: fine.of,
    clusterScoped,
    selector: selector.labels,
  });
  const status = spec.restoreStatus && resolvedLists(names, spec.restoreStatus);
  return {
    allNamespaces: namespaces.everything,
    warnings: [...(policies?.warnings ?? []), ...fineFilterWarnings(fine.policies, clusterScoped, resource)],
    decide: (item, origin = {}) =>
      item.groupResource === alwaysRestored ? included : firstLeftOut(checks, item, origin),
    restoresStatus: (groupResource) => status?.matches(groupResource) ?? false,
  };
}

/** The type as discovery would report it, as far as the archive has the facts. */
function typeOf({ groupResource, kind, namespaced }: ArchivedResource): DiscoveredType {
  const [resource = '', ...group] = groupResource.split('.');
  return {
    group: group.join('.'),
    version: '',
    resource,
    kind,
    namespaced,
    verbs: [],
    shortNames: [],
    singular: kind.toLowerCase(),
    categories: [],
    subresources: [],
    preferred: false,
  };
}
