import { type DiscoveredType, groupResourceText, type LabelTest, labelTest, selectorText } from '@lateen/kube';
import { globTest, isGlob, type NameTest } from '../names/glob.ts';
import { anyOf } from '../names/name-lists.ts';
import type { ResourceNames } from '../resources/resource-names.ts';
import { isCatchAll } from './check-filter-policies.ts';
import type { FineResourceFilter, NamespacedFilterPolicy } from './resource-policies.ts';

/** One compiled fine-grained filter. */
export interface FineFilter {
  /** `namespacedFilterPolicies[0].resourceFilters[1]`. */
  readonly where: string;
  /** Absent: labels do not matter. */
  readonly labels: LabelTest | undefined;
  /** Selectors for list calls, one per call; empty: no selector. */
  readonly selectorTexts: readonly string[];
  /** Absent: all names. */
  readonly names: NameTest | undefined;
}

/** The filters of one policy, by resource. */
export interface FineFilters {
  readonly where: string;
  /** The filter of a kind, otherwise the catch-all filter; undefined when neither exists. */
  of(groupResource: string, kind: string): FineFilter | undefined;
  /** Kinds as written, with the types that they name; for warnings. */
  readonly kinds: readonly { readonly written: string; readonly type: DiscoveredType | undefined }[];
}

export function fineFilters(filters: readonly FineResourceFilter[], where: string, names: ResourceNames): FineFilters {
  const byResource = new Map<string, FineFilter>();
  const byKind = new Map<string, FineFilter>();
  const globs: { test: NameTest; filter: FineFilter }[] = [];
  const kinds: { written: string; type: DiscoveredType | undefined }[] = [];
  let catchAll: FineFilter | undefined;
  for (const [index, written] of filters.entries()) {
    const filter = fineFilter(written, `${where}.resourceFilters[${index}]`);
    if (isCatchAll(written)) catchAll = filter;
    for (const kind of written.kinds) {
      const type = names.type(kind);
      kinds.push({ written: kind, type });
      // Kinds that the cluster does not serve are compared with the objects themselves.
      if (type !== undefined) setOnce(byResource, groupResourceText(type), filter);
      else if (isGlob(kind)) globs.push({ test: globTest(kind), filter });
      else setOnce(byKind, kind.toLowerCase(), filter);
    }
  }
  const find = (resource: string, kind: string): FineFilter | undefined =>
    byResource.get(resource) ??
    byKind.get(kind.toLowerCase()) ??
    byKind.get(resource) ??
    globs.find(({ test }) => test(resource))?.filter ??
    catchAll;
  return { where, kinds, of: remembered(find) };
}

/** Caches filters by kind: there are few kinds and many objects. */
function remembered(find: (resource: string, kind: string) => FineFilter | undefined): FineFilters['of'] {
  const known = new Map<string, FineFilter | undefined>();
  return (resource, kind) => {
    if (known.has(resource)) return known.get(resource);
    const filter = find(resource, kind);
    known.set(resource, filter);
    return filter;
  };
}

function setOnce(map: Map<string, FineFilter>, key: string, filter: FineFilter): void {
  if (!map.has(key)) map.set(key, filter);
}

function fineFilter({ labelSelectors, names, excludedNames }: FineResourceFilter, where: string): FineFilter {
  const isIncluded = names.length === 0 ? () => true : anyOf(names);
  const isExcluded = anyOf(excludedNames);
  return {
    where,
    ...selectorsOf(labelSelectors),
    names:
      names.length === 0 && excludedNames.length === 0 ? undefined : (name) => !isExcluded(name) && isIncluded(name),
  };
}

/** Combines several selectors; at least one must match. */
export function selectorsOf(selectors: readonly Parameters<typeof labelTest>[0][]): {
  labels: LabelTest | undefined;
  selectorTexts: readonly string[];
} {
  const selectorTexts = selectors.map(selectorText);
  if (selectorTexts.length === 0 || selectorTexts.includes('')) return { labels: undefined, selectorTexts: [] };
  const tests = selectors.map(labelTest);
  return {
    labels: (labels) => tests.some((test) => test(labels)),
    selectorTexts: [...new Set(selectorTexts)],
  };
}

/** The policy of a namespace: an exact name takes precedence over globs; among globs the first of the list counts (after-1.18.1.md 1A). */
export function policyByNamespace(
  policies: readonly NamespacedFilterPolicy[],
  names: ResourceNames,
): { policies: readonly FineFilters[]; of: (namespace: string) => FineFilters | undefined } {
  const exact = new Map<string, FineFilters>();
  const globs: { test: NameTest; filters: FineFilters }[] = [];
  const compiled = policies.map(({ namespaces, resourceFilters }, index) => {
    const filters = fineFilters(resourceFilters, `namespacedFilterPolicies[${index}]`, names);
    for (const name of namespaces) {
      if (isGlob(name)) globs.push({ test: globTest(name), filters });
      else if (!exact.has(name)) exact.set(name, filters);
    }
    return filters;
  });
  const known = new Map<string, FineFilters | undefined>();
  return {
    policies: compiled,
    of: (namespace) => {
      if (!known.has(namespace)) {
        known.set(namespace, exact.get(namespace) ?? globs.find(({ test }) => test(namespace))?.filters);
      }
      return known.get(namespace);
    },
  };
}
