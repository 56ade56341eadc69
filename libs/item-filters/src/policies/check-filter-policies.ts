import type { LabelSelector } from '@lateen/api-types';
import { selectorProblem } from '@lateen/kube';
import { globProblem } from '../names/glob.ts';
import { namespaceProblem } from '../namespaces/namespace-names.ts';
import type { WrittenFilter } from './read-policies.ts';
import type { FineResourceFilter } from './resource-policies.ts';

interface WrittenPolicy {
  namespaces: string[];
  resourceFilters: WrittenFilter[];
}

/** @throws Velero's texts, with the index of the policy and of the filter */
export function checkNamespacedPolicies(policies: readonly WrittenPolicy[]): void {
  const usedIn = new Map<string, number[]>();
  for (const [index, { namespaces, resourceFilters }] of policies.entries()) {
    const where = `namespacedFilterPolicies[${index}]`;
    if (namespaces.length === 0) throw new Error(`${where}: at least one namespace must be specified`);
    if (resourceFilters.length === 0) throw new Error(`${where}: at least one resourceFilter must be specified`);
    for (const pattern of namespaces) {
      const problem = pattern === '' ? 'the name of a namespace cannot be empty' : namespaceProblem(pattern);
      if (problem !== undefined) throw new Error(`${where}: invalid glob pattern "${pattern}": ${problem}`);
    }
    for (const pattern of new Set(namespaces)) usedIn.set(pattern, [...(usedIn.get(pattern) ?? []), index]);
    if (resourceFilters.filter(isCatchAll).length > 1)
      throw new Error(`${where}: only one catch-all resource filter is allowed`);
    checkFilters(resourceFilters, where);
  }
  for (const [pattern, indexes] of usedIn) {
    if (indexes.length < 2) continue;
    throw new Error(
      `namespacedFilterPolicies: duplicate namespace pattern '${pattern}' found in policies [${indexes.join(' ')}]`,
    );
  }
}

/** @throws likewise */
export function checkClusterScopedPolicy(filters: readonly WrittenFilter[]): void {
  const where = 'clusterScopedFilterPolicy';
  if (filters.length === 0) {
    throw new Error(`${where}: resourceFilters cannot be empty; remove the policy block entirely if it is not needed`);
  }
  const index = filters.findIndex(isCatchAll);
  if (index >= 0)
    throw new Error(`${where}.resourceFilters[${index}]: kinds must be specified (catch-all is not supported)`);
  checkFilters(filters, where);
}

/** Whether a filter is for every kind that no other filter of its policy lists. */
export const isCatchAll = ({ kinds = [] }: { kinds?: readonly string[] }): boolean =>
  kinds.every((kind) => kind === '*');

function checkFilters(filters: readonly WrittenFilter[], where: string): void {
  const listedIn = new Map<string, number>();
  for (const [index, filter] of filters.entries()) {
    checkFilter(filter, `${where}.resourceFilters[${index}]`);
    for (const kind of isCatchAll(filter) ? [] : (filter.kinds ?? [])) {
      const before = listedIn.get(kind.toLowerCase());
      if (before !== undefined && before !== index) {
        throw new Error(
          `${where}: kind "${kind}" appears in both resourceFilters[${before}] and resourceFilters[${index}]`,
        );
      }
      listedIn.set(kind.toLowerCase(), index);
    }
  }
}

function checkFilter(filter: WrittenFilter, where: string): void {
  const { kinds = [], labelSelector, orLabelSelectors = [], names = [], excludedNames = [] } = filter;
  if (isCatchAll(filter) && (names.length > 0 || excludedNames.length > 0)) {
    throw new Error(`${where}: names or excludedNames cannot be specified for catch-all filters`);
  }
  if (!isCatchAll(filter) && kinds.includes('*')) throw new Error(`${where}: "*" cannot be combined with other kinds`);
  if (kinds.includes('')) throw new Error(`${where}: a kind cannot be empty`);
  if (isPresent(labelSelector) && orLabelSelectors.length > 0) {
    throw new Error(`${where}: labelSelector and orLabelSelectors cannot co-exist`);
  }
  for (const selector of [...(labelSelector === undefined ? [] : [labelSelector]), ...orLabelSelectors]) {
    const problem = selectorProblem(selector);
    if (problem !== undefined) throw new Error(`${where}: invalid label selector: ${problem}`);
  }
  for (const pattern of [...names, ...excludedNames]) {
    const problem = pattern === '' ? 'a name cannot be empty' : globProblem(pattern);
    if (problem !== undefined) throw new Error(`${where}: invalid glob pattern "${pattern}": ${problem}`);
  }
}

const isPresent = (selector: LabelSelector | undefined): boolean =>
  selector !== undefined &&
  (Object.keys(selector.matchLabels ?? {}).length > 0 || (selector.matchExpressions ?? []).length > 0);

/** Normalizes filters: the selectors become a list of which one must match. */
export function resourceFilters(filters: readonly WrittenFilter[]): FineResourceFilter[] {
  return filters.map(({ kinds = [], labelSelector, orLabelSelectors = [], names = [], excludedNames = [] }) => ({
    kinds: isCatchAll({ kinds }) ? [] : kinds,
    labelSelectors: isPresent(labelSelector) ? [labelSelector as LabelSelector] : orLabelSelectors,
    names,
    excludedNames,
  }));
}
