import type { BackupSpec } from '@lateen/api-types';
import { selectorProblems, titled } from '../items/filter-problems.ts';
import { listProblems, type NameLists, scopedListProblems } from '../names/name-lists.ts';
import { namespaceListProblems } from '../namespaces/namespace-names.ts';
import type { ResourcePolicies } from '../policies/resource-policies.ts';
import { usesOldFilters, usesScopedFilters } from '../resources/resource-choice.ts';

const oldFilters = 'include-resources, exclude-resources and include-cluster-resources are old filter parameters.';
const scopedFilters =
  'include-cluster-scoped-resources, exclude-cluster-scoped-resources, include-namespace-scoped-resources and exclude-namespace-scoped-resources are new filter parameters.';

/** The errors in the filters of a backup, as texts for `status.validationErrors` (backup-and-restore.md section 1). */
export function validateBackupFilters(
  spec: BackupSpec,
  policies?: Pick<ResourcePolicies, 'includeExcludePolicy' | 'namespacedFilterPolicies' | 'clusterScopedFilterPolicy'>,
): string[] {
  const old = usesOldFilters(spec);
  const isFine =
    (policies?.namespacedFilterPolicies.length ?? 0) > 0 || policies?.clusterScopedFilterPolicy !== undefined;
  return [
    ...(old && usesScopedFilters(spec) ? [`${oldFilters}\n${scopedFilters}\nThey cannot be used together`] : []),
    ...listErrors(spec),
    ...(old && policies?.includeExcludePolicy !== undefined
      ? [`${oldFilters}\nThey cannot be used with include-exclude policies.`]
      : []),
    ...(old && isFine
      ? [`${oldFilters}\nThey cannot be used with namespace-scoped or cluster-scoped global filter policies.`]
      : []),
    ...selectorProblems('backup', spec),
  ];
}

function listErrors(spec: BackupSpec): string[] {
  return [
    ...titled('resource', listProblems({ included: spec.includedResources, excluded: spec.excludedResources })),
    ...scoped('cluster-scoped', {
      included: spec.includedClusterScopedResources,
      excluded: spec.excludedClusterScopedResources,
    }),
    ...scoped('namespace-scoped', {
      included: spec.includedNamespaceScopedResources,
      excluded: spec.excludedNamespaceScopedResources,
    }),
    ...titled(
      'namespace',
      namespaceListProblems({ included: spec.includedNamespaces, excluded: spec.excludedNamespaces }),
    ),
  ];
}

const scoped = (scope: string, lists: NameLists): string[] =>
  scopedListProblems(lists).map((problem) => `Invalid ${scope} included/excluded resource lists: ${problem}`);
