import type { RestoreSpec } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { policiesOf } from '../testing/ask.ts';
import { completeRestoreFilters, nonRestorableResources, validateRestoreFilters } from './validate-restore-filters.ts';

const titled = (what: string, problem: string) => `Invalid included/excluded ${what} lists: ${problem}`;

const rows: { spec: RestoreSpec; policies?: string; problems: string[] }[] = [
  { spec: {}, problems: [] },
  { spec: { includedResources: null, excludedNamespaces: null, labelSelector: null }, problems: [] },
  ...nonRestorableResources.map((name) => ({
    spec: { includedResources: [name] },
    problems: [`${name} are non-restorable resources`],
  })),
  {
    spec: { includedResources: ['nodes', 'pods', 'events'] },
    problems: ['nodes are non-restorable resources', 'events are non-restorable resources'],
  },
  {
    spec: { includedResources: ['*', 'pods'] },
    problems: [titled('resource', "includes list must either contain '*' only, or a non-empty list of items")],
  },
  { spec: { excludedResources: ['*'] }, problems: [titled('resource', "excludes list cannot contain '*'")] },
  {
    spec: { includedResources: ['pods'], excludedResources: ['pods'] },
    problems: [titled('resource', 'excludes list cannot contain an item in the includes list: pods')],
  },
  {
    spec: { includedNamespaces: ['*', 'shop'] },
    problems: [titled('namespace', "includes list must either contain '*' only, or a non-empty list of items")],
  },
  { spec: { excludedNamespaces: ['*'] }, problems: [titled('namespace', "excludes list cannot contain '*'")] },
  {
    spec: { includedNamespaces: ['a**'] },
    problems: [
      titled(
        'namespace',
        'invalid namespace "a**": wildcard pattern contains consecutive asterisks (only single * allowed)',
      ),
    ],
  },
  {
    spec: { labelSelector: { matchLabels: { a: 'b' } }, orLabelSelectors: [{ matchLabels: { c: 'd' } }] },
    problems: ['encountered labelSelector as well as orLabelSelectors in restore spec, only one can be specified'],
  },
  { spec: { labelSelector: { matchLabels: { a: 'b' } }, orLabelSelectors: [] }, problems: [] },
  {
    spec: { orLabelSelectors: [{}, { matchLabels: { 'a b': 'c' } }] },
    problems: ['invalid label selector in orLabelSelectors[1]: "a b" is not a valid label key'],
  },
  {
    spec: {},
    policies: 'volumePolicies: [{action: {type: skip}}]',
    problems: ['volumePolicies is not supported in the resource policies of a restore'],
  },
  {
    spec: {},
    policies: 'includeExcludePolicy: {excludedNamespaceScopedResources: [pods]}',
    problems: ['includeExcludePolicy is not supported in the resource policies of a restore'],
  },
  {
    spec: {},
    policies: 'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [pods]}]}]',
    problems: [],
  },
];

describe('the filters of a restore', () => {
  it.each(rows)('$spec with policies $policies: $problems', ({ spec, policies, problems }) => {
    expect(validateRestoreFilters(spec, policies === undefined ? undefined : policiesOf(policies))).toEqual(problems);
  });

  it.each(nonRestorableResources)('reports the same for %s after the server has excluded it', (name) => {
    const completed = completeRestoreFilters({ includedResources: [name] });
    expect(validateRestoreFilters(completed)).toEqual([`${name} are non-restorable resources`]);
  });

  it('exclude non-restorable resources, each once', () => {
    const { excludedResources } = completeRestoreFilters({ excludedResources: ['secrets', 'nodes'] });
    expect(excludedResources).toEqual([
      'secrets',
      'nodes',
      ...nonRestorableResources.filter((name) => name !== 'nodes'),
    ]);
  });
});
