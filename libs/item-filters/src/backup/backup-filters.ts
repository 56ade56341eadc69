import type { BackupSpec, Namespace } from '@lateen/api-types';
import { type DiscoveredType, groupResourceText } from '@lateen/kube';
import { backupChecks, firstLeftOut, type ItemCheck } from '../items/item-checks.ts';
import type { Decision, ItemFacts, ItemOrigin } from '../items/item-facts.ts';
import { namespaceSelection } from '../namespaces/namespace-selection.ts';
import { fineFilterWarnings } from '../policies/fine-filter-warnings.ts';
import { fineFilters, policyByNamespace, selectorsOf } from '../policies/fine-filters.ts';
import type { NamespacesByLabel, ResourcePolicies } from '../policies/resource-policies.ts';
import { resourceChoice, scopeWarnings } from '../resources/resource-choice.ts';
import { resourceNames } from '../resources/resource-names.ts';
import { type ListPlan, listPlanner } from './list-plan.ts';
import { namespaceDecider } from './namespace-decision.ts';

/** The filters of one backup, compiled once and asked for every object. */
export interface BackupFilters {
  /** True when no namespace is excluded and none was chosen: the rules of a whole cluster apply to cluster-scoped resources. */
  readonly allNamespaces: boolean;
  /** The included ones among the given namespaces, sorted by name. */
  readonly namespaces: readonly string[];
  /** Namespaces that are named without a glob and do not exist, sorted by name. */
  readonly missingNamespaces: readonly string[];
  /** Settings that are allowed but have no effect; for the log of the backup. */
  readonly warnings: readonly string[];
  /**
   * How the objects of a type are listed; undefined: they are not listed (they may still come as additional items). Each item of a list has
   * to be decided on its own, because a list may contain more than is chosen. Namespaces have no plan: call `decideNamespace` for each.
   */
  listPlan(type: DiscoveredType): ListPlan | undefined;
  decide(item: ItemFacts, origin?: ItemOrigin): Decision;
  /** Whether the lists of the backup exclude a resource for any name and namespace; also as additional items. */
  excludesResource(groupResource: string, namespaced: boolean): boolean;
  /** Whether a Namespace is kept (backup-and-restore.md section 2.7). `hasItems`: the backup has an object of that namespace. */
  decideNamespace(namespace: Namespace, hasItems: boolean): Decision;
}

export interface BackupFiltersInput {
  spec: BackupSpec;
  policies?: ResourcePolicies | undefined;
  /** The types that the API server serves. */
  types: readonly DiscoveredType[];
  /** All namespaces of the cluster, in any phase. */
  namespaces: readonly Namespace[];
}

/** The compiled filters with what explanations need in addition. */
export interface CompiledFilters extends BackupFilters {
  readonly checks: readonly ItemCheck[];
}

/** Compiles a spec without {@link validateBackupFilters} errors. Pure; caches its answers about resources and namespaces. */
export function backupFilters(input: BackupFiltersInput): BackupFilters {
  return compileFilters(input);
}

const noLabels: NamespacesByLabel = { included: [], excluded: [], logic: 'OR' };

export function compileFilters({ spec, policies, types, namespaces }: BackupFiltersInput): CompiledFilters {
  const names = resourceNames(types);
  const policy = policies?.includeExcludePolicy;
  const selection = namespaceSelection(
    { included: spec.includedNamespaces, excluded: spec.excludedNamespaces },
    policy?.namespacesByLabel ?? noLabels,
    namespaces,
  );
  const resource = resourceChoice({ spec, policy, names, allNamespaces: selection.everything });
  const fine = policyByNamespace(policies?.namespacedFilterPolicies ?? [], names);
  const ofCluster = policies?.clusterScopedFilterPolicy;
  const clusterScoped = ofCluster && fineFilters(ofCluster.resourceFilters, 'clusterScopedFilterPolicy', names);
  const selector = selectorsOf([...(spec.labelSelector ? [spec.labelSelector] : []), ...(spec.orLabelSelectors ?? [])]);
  const checks = backupChecks({
    namespaces: selection,
    resource,
    policyOf: fine.of,
    clusterScoped,
    selector: selector.labels,
  });
  const plan = listPlanner({
    selection,
    live: namespaces.length,
    policyOf: fine.of,
    clusterScoped,
    selectorTexts: selector.selectorTexts,
  });
  return {
    allNamespaces: selection.everything,
    namespaces: selection.names,
    missingNamespaces: selection.missing,
    warnings: [
      ...(policies?.warnings ?? []),
      ...scopeWarnings(spec, policy, names),
      ...fineFilterWarnings(fine.policies, clusterScoped, resource),
    ],
    checks,
    listPlan: (type) =>
      resource(groupResourceText(type), type.namespaced).listed === undefined ? plan(type) : undefined,
    decide: (item, origin = listed) => firstLeftOut(checks, item, origin),
    excludesResource: (groupResource, namespaced) => resource(groupResource, namespaced).additional !== undefined,
    decideNamespace: namespaceDecider({ selection, resource, clusterScoped, selector: selector.labels }),
  };
}

const listed: ItemOrigin = {};
