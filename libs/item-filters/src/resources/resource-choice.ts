import type { BackupSpec, RestoreSpec } from '@lateen/api-types';
import { anyOf, type NameFilter, nameFilter } from '../names/name-lists.ts';
import type { IncludeExcludePolicy } from '../policies/resource-policies.ts';
import type { ResourceNames } from './resource-names.ts';

/** Whether objects of a resource are taken: undefined means yes; a text says why not. */
export interface ResourceVerdict {
  /** For objects that a list contains. */
  readonly listed: string | undefined;
  /** For objects that an action names: objects that belong to an included object come along unless they are excluded by name. */
  readonly additional: string | undefined;
}

/** Decides which resources are taken, by the lists of one family (backup-and-restore.md section 3). */
export type ResourceChoice = (groupResource: string, namespaced: boolean) => ResourceVerdict;

interface ChoiceInput {
  spec: BackupSpec;
  policy: IncludeExcludePolicy | undefined;
  names: ResourceNames;
  /** Whether no namespace is excluded. */
  allNamespaces: boolean;
}

/**
 * The server excludes these resources from every backup, because a backup creates its own objects of them (api.md section 2). When they
 * appear in the lists of a backup, they do not show what its author wants: in Velero they keep cluster-scoped objects out of every
 * backup of a whole cluster.
 */
export const neverListed = {
  namespaced: 'volumesnapshots.snapshot.storage.k8s.io',
  clusterScoped: 'volumesnapshotcontents.snapshot.storage.k8s.io',
} as const;
const neverListedNames: readonly string[] = Object.values(neverListed);

/** Namespaces follow their contents: a list leaves them out only when it excludes them by name. */
export const namespacesResource = 'namespaces';

export function resourceChoice(input: ChoiceInput): ResourceChoice {
  return remembered(usesOldFilters(input.spec) ? oldChoice(input) : scopedChoice(input));
}

/**
 * The same for a restore, which only has the old lists (backup-and-restore.md section 12). They apply to additional items too, with one
 * exception: cluster-scoped objects come along when namespaces were chosen.
 */
export function restoreResourceChoice(
  spec: Pick<RestoreSpec, ListFields>,
  names: ResourceNames,
  allNamespaces: boolean,
): ResourceChoice {
  const choose = oldChoice({ spec, names, allNamespaces });
  if (spec.includeClusterResources !== true) return remembered(choose);
  return remembered((resource, namespaced) => {
    const { listed } = choose(resource, namespaced);
    return listed === undefined ? taken : never(listed);
  });
}

type ListFields = 'includedResources' | 'excludedResources' | 'includeClusterResources';

/** Caches verdicts by resource: there are few resources and many objects. */
function remembered(choose: ResourceChoice): ResourceChoice {
  const known = { namespaced: new Map<string, ResourceVerdict>(), cluster: new Map<string, ResourceVerdict>() };
  return (resource, namespaced) => {
    const map = namespaced ? known.namespaced : known.cluster;
    let verdict = map.get(resource);
    if (verdict === undefined) {
      verdict = choose(resource, namespaced);
      map.set(resource, verdict);
    }
    return verdict;
  };
}

/** includedResources, excludedResources, includeClusterResources. */
export const usesOldFilters = (spec: BackupSpec): boolean =>
  some(spec.includedResources) ||
  some(spec.excludedResources) ||
  (spec.includeClusterResources !== undefined && spec.includeClusterResources !== null);

export const usesScopedFilters = (spec: BackupSpec): boolean =>
  some(spec.includedClusterScopedResources) ||
  some(spec.excludedClusterScopedResources) ||
  some(spec.includedNamespaceScopedResources) ||
  some(spec.excludedNamespaceScopedResources);

const some = (names: readonly string[] | null | undefined): boolean => (names ?? []).length > 0;

const taken: ResourceVerdict = { listed: undefined, additional: undefined };
const never = (why: string): ResourceVerdict => ({ listed: why, additional: why });
const onlyAlong = (why: string): ResourceVerdict => ({ listed: why, additional: undefined });

function oldChoice({
  spec,
  names,
  allNamespaces,
}: Pick<ChoiceInput, 'names' | 'allNamespaces'> & { spec: Pick<BackupSpec, ListFields> }): ResourceChoice {
  const lists = resolvedLists(names, spec);
  return (resource, namespaced) => {
    if (lists.excludes(resource)) return never(`excludedResources has ${resource}`);
    if (resource === namespacesResource) return taken;
    const missing = lists.includes(resource) ? undefined : `includedResources does not have ${resource}`;
    if (namespaced) return missing === undefined ? taken : never(missing);
    if (spec.includeClusterResources === false) return never('includeClusterResources is false');
    if (spec.includeClusterResources === true) return missing === undefined ? taken : onlyAlong(missing);
    if (missing !== undefined) return never(missing);
    return allNamespaces ? taken : onlyAlong(clusterScopedAlong);
  };
}

const clusterScopedAlong =
  'with included or excluded namespaces, cluster-scoped objects are included only if other objects need them';

function scopedChoice({ spec, policy, names, allNamespaces }: ChoiceInput): ResourceChoice {
  const clusterScoped = mergedLists(names, 'ClusterScoped', spec, policy);
  const namespaced = mergedLists(names, 'NamespaceScoped', spec, policy);
  const noLists = clusterScoped.choosesNothing && namespaced.choosesNothing;
  return (resource, isNamespaced) => {
    const lists = isNamespaced ? namespaced : clusterScoped;
    if (lists.excludes(resource)) return never(`${lists.excludedField} has ${resource}`);
    if (resource === namespacesResource) return taken;
    if (isNamespaced) {
      return lists.includes(resource) ? taken : never(`${lists.includedField} does not have ${resource}`);
    }
    if ((noLists && allNamespaces) || (lists.choosesSome && lists.includes(resource))) return taken;
    if (noLists) return onlyAlong(clusterScopedAlong);
    const why = lists.choosesSome ? `does not have ${resource}` : 'is empty';
    return onlyAlong(`${lists.includedField} ${why}`);
  };
}

/** Merges the lists: entries of the policy are added unless the backup's own lists contradict them. */
function mergedLists(names: ResourceNames, scope: Scope, spec: BackupSpec, policy: IncludeExcludePolicy | undefined) {
  const [includedField, excludedField] = [`included${scope}Resources`, `excluded${scope}Resources`] as const;
  const resolve = (list: readonly string[] | null | undefined) =>
    (list ?? []).filter((name) => !isOfOtherScope(name, scope, names)).map(names.resolve);
  const own = { included: resolve(spec[includedField]), excluded: resolve(spec[excludedField]) };
  const isIncluded = anyOf(own.included);
  const excluded = [...own.excluded, ...resolve(policy?.[excludedField]).filter((name) => !isIncluded(name))];
  const isExcluded = anyOf(excluded);
  const included = [...own.included, ...resolve(policy?.[includedField]).filter((name) => !isExcluded(name))];
  return {
    ...nameFilter({ included, excluded }),
    includedField,
    excludedField,
    choosesSome: included.length > 0,
    choosesNothing:
      (included.length === 0 || (scope === 'NamespaceScoped' && included.includes('*'))) &&
      excluded.every((name) => neverListedNames.includes(name)),
  };
}

type Scope = 'ClusterScoped' | 'NamespaceScoped';

/** Velero drops such a name; a list that has no other names then counts as empty. */
function isOfOtherScope(name: string, scope: Scope, names: ResourceNames): boolean {
  const type = names.type(name);
  return type !== undefined && type.namespaced !== (scope === 'NamespaceScoped');
}

/** Warnings for the log about names that have no effect in the list that contains them. */
export function scopeWarnings(
  spec: BackupSpec,
  policy: IncludeExcludePolicy | undefined,
  names: ResourceNames,
): string[] {
  const scopes: readonly Scope[] = ['ClusterScoped', 'NamespaceScoped'];
  return scopes.flatMap((scope) =>
    ([`included${scope}Resources`, `excluded${scope}Resources`] as const).flatMap((field) =>
      [...(spec[field] ?? []), ...(policy?.[field] ?? [])]
        .filter((name) => isOfOtherScope(name, scope, names))
        .map((name) => `${field} has ${name}, which has no effect there: it is of the other scope`),
    ),
  );
}

/** Resolves lists of resources; their names may be short or singular. */
export function resolvedLists(
  names: ResourceNames,
  { includedResources, excludedResources }: Pick<BackupSpec, 'includedResources' | 'excludedResources'>,
): NameFilter {
  return nameFilter({
    included: (includedResources ?? []).map(names.resolve),
    excluded: (excludedResources ?? []).map(names.resolve),
  });
}
