import type { RestoreSpec } from '@lateen/api-types';
import { selectorProblems, titled } from '../items/filter-problems.ts';
import { listProblems } from '../names/name-lists.ts';
import { namespaceListProblems } from '../namespaces/namespace-names.ts';
import type { ResourcePolicies } from '../policies/resource-policies.ts';

/** Resources that only describe the old cluster, or are Lateen's own: excluded from every restore (backup-and-restore.md section 11). */
export const nonRestorableResources: readonly string[] = [
  'nodes',
  'events',
  'events.events.k8s.io',
  'backups.velero.io',
  'restores.velero.io',
  'resticrepositories.velero.io',
  'csinodes.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
  'backuprepositories.velero.io',
];

/** Adds the resources that the server excludes from every restore to the spec. Pure. */
export function completeRestoreFilters(spec: RestoreSpec): RestoreSpec {
  const excluded = spec.excludedResources ?? [];
  return {
    ...spec,
    excludedResources: [...excluded, ...nonRestorableResources.filter((name) => !excluded.includes(name))],
  };
}

/**
 * The errors in the filters of a restore, as texts for `status.validationErrors` (backup-and-restore.md section 11). Works before and after
 * {@link completeRestoreFilters}.
 */
export function validateRestoreFilters(
  spec: RestoreSpec,
  policies?: Pick<ResourcePolicies, 'volumePolicies' | 'includeExcludePolicy'>,
): string[] {
  const { includedResources, includedNamespaces, excludedNamespaces } = spec;
  const never = new Set(includedResources?.filter((name) => nonRestorableResources.includes(name)));
  const excludedResources = spec.excludedResources?.filter((name) => !never.has(name));
  return [
    ...[...never].map((name) => `${name} are non-restorable resources`),
    ...titled('resource', listProblems({ included: includedResources, excluded: excludedResources })),
    ...titled('namespace', namespaceListProblems({ included: includedNamespaces, excluded: excludedNamespaces })),
    ...selectorProblems('restore', spec),
    ...(policies === undefined ? [] : refusedPolicies(policies)),
  ];
}

/** Policies that only apply to backups; in the ConfigMap of a restore they would silently have no effect. */
function refusedPolicies({
  volumePolicies,
  includeExcludePolicy,
}: Pick<ResourcePolicies, 'volumePolicies' | 'includeExcludePolicy'>): string[] {
  const refused = [
    ...(volumePolicies.length > 0 ? ['volumePolicies'] : []),
    ...(includeExcludePolicy === undefined ? [] : ['includeExcludePolicy']),
  ];
  return refused.map((block) => `${block} is not supported in the resource policies of a restore`);
}
