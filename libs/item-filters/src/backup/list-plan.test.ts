import type { BackupSpec } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { type Asked, filtersOf } from '../testing/ask.ts';
import { typeOf } from '../testing/known-cluster.ts';
import type { ListPlan } from './list-plan.ts';

const plan = (resource: string, asked: Asked) => filtersOf(asked).listPlan(typeOf(resource));
const everywhere = { namespaces: 'all' as const, labelSelectors: [] };

describe('the list plan of a type', () => {
  it.each<[resource: string, spec: BackupSpec, plan: ListPlan | undefined]>([
    ['pods', {}, everywhere],
    ['nodes', {}, everywhere],
    ['namespaces', {}, undefined],
    ['pods', { includedNamespaces: ['*'] }, everywhere],
    ['pods', { includedNamespaces: ['shop'] }, { namespaces: ['shop'], labelSelectors: [] }],
    ['pods', { includedNamespaces: ['shop', 'bank'] }, { namespaces: ['bank', 'shop'], labelSelectors: [] }],
    ['pods', { includedNamespaces: ['shop', 'gone'] }, { namespaces: ['shop'], labelSelectors: [] }],
    ['pods', { includedNamespaces: ['gone'] }, undefined],
    // Three of four namespaces: one list, which contains the fourth, too.
    ['pods', { excludedNamespaces: ['kube-system'] }, everywhere],
    ['pods', { excludedNamespaces: ['shop*'] }, { namespaces: ['bank', 'kube-system'], labelSelectors: [] }],
    ['nodes', { includedNamespaces: ['shop'] }, undefined],
    ['nodes', { includedNamespaces: ['shop'], includeClusterResources: true }, everywhere],
    ['nodes', { includeClusterResources: false }, undefined],
    ['secrets', { includedResources: ['pods'] }, undefined],
    ['pods', { includedResources: ['pods'] }, everywhere],
    ['pods', { excludedNamespaceScopedResources: ['*'] }, undefined],
    ['pods', { labelSelector: { matchLabels: { a: '1' } } }, { namespaces: 'all', labelSelectors: ['a=1'] }],
    ['nodes', { labelSelector: { matchLabels: { a: '1' } } }, { namespaces: 'all', labelSelectors: ['a=1'] }],
    [
      'pods',
      { orLabelSelectors: [{ matchLabels: { a: '1' } }, { matchExpressions: [{ key: 'b', operator: 'Exists' }] }] },
      { namespaces: 'all', labelSelectors: ['a=1', 'b'] },
    ],
    [
      'pods',
      { orLabelSelectors: [{ matchLabels: { a: '1' } }, { matchLabels: { a: '1' } }] },
      { namespaces: 'all', labelSelectors: ['a=1'] },
    ],
    ['pods', { orLabelSelectors: [{ matchLabels: { a: '1' } }, {}] }, everywhere],
  ])('%s with %j: %j', (resource, spec, expected) => expect(plan(resource, { spec })).toEqual(expected));

  const policies = `
namespacedFilterPolicies:
- namespaces: [shop]
  resourceFilters: [{kinds: [Pod], labelSelector: {matchLabels: {a: "1"}}}, {kinds: [Secret]}]
- namespaces: ["*"]
  resourceFilters: [{kinds: [Pod], labelSelector: {matchLabels: {a: "2"}}}]
clusterScopedFilterPolicy:
  resourceFilters: [{kinds: [Node], labelSelector: {matchLabels: {b: "1"}}}]
`;
  it.each<[resource: string, spec: BackupSpec, plan: ListPlan | undefined]>([
    // Two namespaces with two selectors: one list without a selector.
    ['pods', {}, everywhere],
    ['pods', { includedNamespaces: ['shop'] }, { namespaces: ['shop'], labelSelectors: ['a=1'] }],
    ['pods', { excludedNamespaces: ['shop'] }, { namespaces: 'all', labelSelectors: ['a=2'] }],
    // Only one namespace can have objects of this type.
    ['secrets', {}, { namespaces: ['shop'], labelSelectors: [] }],
    ['secrets', { includedNamespaces: ['bank'] }, undefined],
    ['configmaps', {}, undefined],
    ['nodes', {}, { namespaces: 'all', labelSelectors: ['b=1'] }],
    ['persistentvolumes', {}, everywhere],
    [
      'persistentvolumes',
      { labelSelector: { matchLabels: { c: '1' } } },
      { namespaces: 'all', labelSelectors: ['c=1'] },
    ],
  ])('%s with policies and %j: %j', (resource, spec, expected) =>
    expect(plan(resource, { spec, policies })).toEqual(expected),
  );
});
