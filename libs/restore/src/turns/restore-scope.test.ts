import type { RestoreSpec } from '@lateen/api-types';
import { expect, it } from 'vitest';
import { restoreScope, scopesOverlap } from './restore-scope.ts';

const shop: RestoreSpec = { includedNamespaces: ['shop'] };

it.each<[title: string, a: RestoreSpec, b: RestoreSpec, overlap: boolean]>([
  ['the same namespace', shop, shop, true],
  ['two namespaces', shop, { includedNamespaces: ['bank'] }, false],
  ['a namespace and all namespaces', shop, {}, true],
  ['a namespace and an asterisk', shop, { includedNamespaces: ['*'] }, true],
  ['a namespace and all except that one', shop, { excludedNamespaces: ['shop'] }, false],
  ['a namespace and all except another one', shop, { excludedNamespaces: ['bank'] }, true],
  ['a namespace and all except a glob', shop, { excludedNamespaces: ['sh*'] }, true],
  ['all namespaces and all except one', {}, { excludedNamespaces: ['shop'] }, true],
  ['a namespace and a glob that matches it', shop, { includedNamespaces: ['sh*'] }, true],
  ['a namespace and a glob that does not match it', shop, { includedNamespaces: ['b*'] }, false],
  ['two globs', { includedNamespaces: ['a*'] }, { includedNamespaces: ['b*'] }, true],
  [
    'a namespace and the same namespace mapped to another name',
    shop,
    { ...shop, namespaceMapping: { shop: 'copy' } },
    false,
  ],
  [
    'two namespaces mapped to the same target',
    { ...shop, namespaceMapping: { shop: 'bank' } },
    { includedNamespaces: ['bank'] },
    true,
  ],
  [
    'a target namespace and a namespace that a glob maps to it',
    { includedNamespaces: ['copy'] },
    { includedNamespaces: ['s*'], namespaceMapping: { shop: 'copy' } },
    true,
  ],
  [
    'a target namespace and a mapping to it',
    { includedNamespaces: ['copy'] },
    { excludedNamespaces: ['copy'], namespaceMapping: { shop: 'copy' } },
    true,
  ],
  [
    'two restores with cluster-scoped resources',
    { ...shop, includeClusterResources: true },
    { includedNamespaces: ['bank'], includeClusterResources: true },
    true,
  ],
  [
    'two restores, one with cluster-scoped resources',
    { ...shop, includeClusterResources: true },
    { includedNamespaces: ['bank'] },
    false,
  ],
  ['a dry run and another restore', { ...shop, dryRun: true }, {}, false],
])('of %s', (_, a, b, overlap) => {
  expect(scopesOverlap(restoreScope(a), restoreScope(b))).toBe(overlap);
  expect(scopesOverlap(restoreScope(b), restoreScope(a))).toBe(overlap);
});
