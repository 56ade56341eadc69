import type { RestoreSpec } from '@lateen/api-types';
import { expect, it } from 'vitest';
import { restoreScope, scopesOverlap } from './restore-scope.ts';

const shop: RestoreSpec = { includedNamespaces: ['shop'] };

it.each<[title: string, a: RestoreSpec, b: RestoreSpec, overlap: boolean]>([
  ['the same namespace', shop, shop, true],
  ['two namespaces', shop, { includedNamespaces: ['bank'] }, false],
  ['a namespace and all', shop, {}, true],
  ['a namespace and the star', shop, { includedNamespaces: ['*'] }, true],
  ['a namespace and all but it', shop, { excludedNamespaces: ['shop'] }, false],
  ['a namespace and all but another', shop, { excludedNamespaces: ['bank'] }, true],
  ['a namespace and all but a glob', shop, { excludedNamespaces: ['sh*'] }, true],
  ['all and all but one', {}, { excludedNamespaces: ['shop'] }, true],
  ['a namespace and a glob that takes it', shop, { includedNamespaces: ['sh*'] }, true],
  ['a namespace and a glob that does not', shop, { includedNamespaces: ['b*'] }, false],
  ['two globs', { includedNamespaces: ['a*'] }, { includedNamespaces: ['b*'] }, true],
  ['a namespace and it under another name', shop, { ...shop, namespaceMapping: { shop: 'copy' } }, false],
  ['two that become one', { ...shop, namespaceMapping: { shop: 'bank' } }, { includedNamespaces: ['bank'] }, true],
  [
    'a target and what a glob maps to it',
    { includedNamespaces: ['copy'] },
    { includedNamespaces: ['s*'], namespaceMapping: { shop: 'copy' } },
    true,
  ],
  [
    'one that is left out and the target of another',
    { includedNamespaces: ['copy'] },
    { excludedNamespaces: ['copy'], namespaceMapping: { shop: 'copy' } },
    true,
  ],
  [
    'both with all of the cluster',
    { ...shop, includeClusterResources: true },
    { includedNamespaces: ['bank'], includeClusterResources: true },
    true,
  ],
  ['one with all of the cluster', { ...shop, includeClusterResources: true }, { includedNamespaces: ['bank'] }, false],
  ['a plan', { ...shop, dryRun: true }, {}, false],
])('of %s', (_, a, b, overlap) => {
  expect(scopesOverlap(restoreScope(a), restoreScope(b))).toBe(overlap);
  expect(scopesOverlap(restoreScope(b), restoreScope(a))).toBe(overlap);
});
