import type { BackupSpec } from '@lateen/api-types';
import { neverListed, usesOldFilters } from '../resources/resource-choice.ts';

/**
 * Adds the server's filters to the spec (api.md section 2): all namespaces when none are chosen, no namespace with the label that excludes
 * it, no snapshot objects. Pure.
 */
export function completeFilters(spec: BackupSpec, labelledNamespaces: readonly string[]): BackupSpec {
  const excluded = spec.excludedNamespaces ?? [];
  const more = labelledNamespaces.filter((name) => !excluded.includes(name));
  return {
    ...spec,
    ...withoutSnapshots(spec),
    includedNamespaces: listOf(spec.includedNamespaces, ['*']),
    ...(excluded.length + more.length === 0 ? {} : { excludedNamespaces: [...excluded, ...more] }),
  };
}

const listOf = (list: string[] | null | undefined, otherwise: string[]): string[] =>
  list === undefined || list === null || list.length === 0 ? otherwise : list;

/** Uses the old family when one of its filters is set, otherwise the filters by scope. */
function withoutSnapshots(spec: BackupSpec): Partial<BackupSpec> {
  const both = [neverListed.namespaced, neverListed.clusterScoped];
  if (usesOldFilters(spec))
    return {
      ...kept('includedResources', spec.includedResources, both),
      excludedResources: added(spec.excludedResources, both),
    };
  return {
    ...kept('includedNamespaceScopedResources', spec.includedNamespaceScopedResources, [neverListed.namespaced]),
    ...kept('includedClusterScopedResources', spec.includedClusterScopedResources, [neverListed.clusterScoped]),
    excludedNamespaceScopedResources: added(spec.excludedNamespaceScopedResources, [neverListed.namespaced]),
    excludedClusterScopedResources: added(spec.excludedClusterScopedResources, [neverListed.clusterScoped]),
  };
}

function kept(field: keyof BackupSpec, list: string[] | null | undefined, out: string[]): Partial<BackupSpec> {
  if (!list?.some((name) => out.includes(name))) return {};
  return { [field]: list.filter((name) => !out.includes(name)) };
}

const added = (list: string[] | null | undefined, more: string[]): string[] => [
  ...(list ?? []),
  ...more.filter((name) => !list?.includes(name)),
];
