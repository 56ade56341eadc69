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
  /** No namespace is left out and none was chosen: whole-cluster rules hold for cluster-scoped resources. */
  readonly allNamespaces: boolean;
  /** Namespaces that are included, of those that were given; by name. */
  readonly namespaces: readonly string[];
  /** Named without a glob and not there; by name. */
  readonly missingNamespaces: readonly string[];
  /** What is allowed and has no effect; for the log of the backup. */
  readonly warnings: readonly string[];
  /**
   * How the objects of a type are listed; undefined: they are not (they may still come as additional items). What a list has is still to
   * be decided item by item: a list may have more than is meant. Namespaces have no plan: ask `decideNamespace` for each.
   */
  listPlan(type: DiscoveredType): ListPlan | undefined;
  decide(item: ItemFacts, origin?: ItemOrigin): Decision;
  /** Whether the lists of the backup keep a resource out whatever its objects are called and wherever they live; also as additional items. */
  excludesResource(groupResource: string, namespaced: boolean): boolean;
  /** Whether a Namespace is kept (backup-and-restore.md section 2.7). `hasItems`: an object that lives there is in the backup. */
  decideNamespace(namespace: Namespace, hasItems: boolean): Decision;
}

export interface BackupFiltersInput {
  spec: BackupSpec;
  policies?: ResourcePolicies | undefined;
  /** What the API server serves. */
  types: readonly DiscoveredType[];
  /** All that are there, in any phase. */
  namespaces: readonly Namespace[];
}

/** The compiled filters with what explanations need of them. */
export interface CompiledFilters extends BackupFilters {
  readonly checks: readonly ItemCheck[];
}

/** For a spec without {@link validateBackupFilters} errors. Pure; keeps what it was asked about resources and namespaces. */
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
