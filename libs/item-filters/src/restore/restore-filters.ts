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
  /** No namespace is left out and none was chosen: cluster-scoped objects are restored too, not only those that others need. */
  readonly allNamespaces: boolean;
  /** What is allowed and has no effect; for the log of the restore. */
  readonly warnings: readonly string[];
  decide(item: ItemFacts, origin?: ItemOrigin): Decision;
  /** Whether `spec.restoreStatus` names the resource: its objects come back with their status. */
  restoresStatus(groupResource: string): boolean;
}

export interface RestoreFiltersInput {
  spec: RestoreSpec;
  policies?: ResourcePolicies | undefined;
  /** What the target cluster serves. */
  types: readonly DiscoveredType[];
  /** What the archive has: names of resources mean these too when the cluster does not serve them yet. */
  archived?: Iterable<ArchivedResource>;
}

export interface ArchivedResource {
  /** `deployments.apps`. */
  groupResource: string;
  kind: string;
  namespaced: boolean;
}

/**
 * Restored whatever the filters say: from them a restore knows where the data of volumes is (after-1.18.1.md 1A). Their action keeps
 * them from being created.
 */
export const alwaysRestored = 'datauploads.velero.io';

/** For a spec without `validateRestoreFilters` errors. Pure; keeps what it was asked about resources and namespaces. */
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

/** As discovery would tell of it, as far as the archive says. */
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
