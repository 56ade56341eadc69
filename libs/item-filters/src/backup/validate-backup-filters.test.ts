import type { BackupSpec } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { policiesOf } from '../testing/ask.ts';
import { validateBackupFilters } from './validate-backup-filters.ts';

const old = 'include-resources, exclude-resources and include-cluster-resources are old filter parameters.';
const together = `${old}
include-cluster-scoped-resources, exclude-cluster-scoped-resources, include-namespace-scoped-resources and exclude-namespace-scoped-resources are new filter parameters.
They cannot be used together`;
const alone = "includes list must either contain '*' only, or a non-empty list of items";

/** backup-and-restore.md section 1. */
describe('rejected filters', () => {
  it.each<[spec: BackupSpec, errors: string[]]>([
    [{}, []],
    [
      {
        includedNamespaces: ['shop', 'team-*'],
        excludedNamespaces: ['kube-*'],
        includedResources: ['*'],
        excludedResources: ['events'],
        includeClusterResources: true,
      },
      [],
    ],
    [{ includedClusterScopedResources: ['*'], excludedNamespaceScopedResources: ['*'] }, []],
    [{ includedResources: null, includedClusterScopedResources: null, includeClusterResources: null }, []],
    [{ includedResources: ['*', 'pods'] }, [`Invalid included/excluded resource lists: ${alone}`]],
    [{ excludedResources: ['*'] }, ["Invalid included/excluded resource lists: excludes list cannot contain '*'"]],
    [
      { includedResources: ['pods'], excludedResources: ['pods'] },
      ['Invalid included/excluded resource lists: excludes list cannot contain an item in the includes list: pods'],
    ],
    [{ includedNamespaces: ['*', 'shop'] }, [`Invalid included/excluded namespace lists: ${alone}`]],
    [{ excludedNamespaces: ['*'] }, ["Invalid included/excluded namespace lists: excludes list cannot contain '*'"]],
    [
      { includedNamespaces: ['shop'], excludedNamespaces: ['shop'] },
      ['Invalid included/excluded namespace lists: excludes list cannot contain an item in the includes list: shop'],
    ],
    [
      { includedNamespaces: ['a**'] },
      [
        'Invalid included/excluded namespace lists: invalid namespace "a**": wildcard pattern contains consecutive asterisks (only single * allowed)',
      ],
    ],
    [
      { includedClusterScopedResources: ['*', 'nodes'] },
      [`Invalid cluster-scoped included/excluded resource lists: ${alone}`],
    ],
    [
      { excludedClusterScopedResources: ['*', 'nodes'] },
      [
        "Invalid cluster-scoped included/excluded resource lists: excludes list must either contain '*' only, or a non-empty list of items",
      ],
    ],
    [
      { includedClusterScopedResources: ['nodes'], excludedClusterScopedResources: ['*'] },
      ["Invalid cluster-scoped included/excluded resource lists: when exclude is '*', include cannot have value"],
    ],
    [
      { includedNamespaceScopedResources: ['pods'], excludedNamespaceScopedResources: ['pods'] },
      [
        'Invalid namespace-scoped included/excluded resource lists: excludes list cannot contain an item in the includes list: pods',
      ],
    ],
    [
      { includedNamespaceScopedResources: ['*', 'pods'] },
      [`Invalid namespace-scoped included/excluded resource lists: ${alone}`],
    ],
    [{ includedResources: ['pods'], includedNamespaceScopedResources: ['pods'] }, [together]],
    [{ includeClusterResources: false, excludedClusterScopedResources: ['nodes'] }, [together]],
    [{ excludedResources: ['pods'], includedClusterScopedResources: ['nodes'] }, [together]],
    [
      { labelSelector: { matchLabels: { a: '1' } }, orLabelSelectors: [{ matchLabels: { b: '1' } }] },
      ['encountered labelSelector as well as orLabelSelectors in backup spec, only one can be specified'],
    ],
    [{ labelSelector: { matchLabels: { a: '1' } }, orLabelSelectors: [] }, []],
    [{ labelSelector: null, orLabelSelectors: [{ matchLabels: { b: '1' } }] }, []],
    [
      { labelSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } },
      ['invalid label selector in labelSelector: operator "Near" of "a" is none of In, NotIn, Exists, DoesNotExist'],
    ],
    [
      { orLabelSelectors: [{}, { matchLabels: { 'a b': '1' } }] },
      ['invalid label selector in orLabelSelectors[1]: "a b" is not a valid label key'],
    ],
    [
      { includedNamespaces: ['Shop!'], excludedResources: ['*'], excludedClusterScopedResources: ['nodes'] },
      [
        together,
        "Invalid included/excluded resource lists: excludes list cannot contain '*'",
        'Invalid included/excluded namespace lists: invalid namespace "Shop!": wildcard pattern contains unsupported characters: |, (, ), !, {, }, ,',
      ],
    ],
  ])('%j: %j', (spec, errors) => expect(validateBackupFilters(spec)).toEqual(errors));

  const lists = 'includeExcludePolicy: {excludedNamespaceScopedResources: [secrets]}';
  const namespaced = 'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [Pod]}]}]';
  const clusterScoped = 'clusterScopedFilterPolicy: {resourceFilters: [{kinds: [Node]}]}';
  const withLists = `${old}\nThey cannot be used with include-exclude policies.`;
  const withFine = `${old}\nThey cannot be used with namespace-scoped or cluster-scoped global filter policies.`;
  it.each<[spec: BackupSpec, policies: string, errors: string[]]>([
    [{ includedResources: ['pods'] }, lists, [withLists]],
    [{ includeClusterResources: true }, lists, [withLists]],
    [{ excludedResources: ['pods'] }, namespaced, [withFine]],
    [{ includeClusterResources: false }, clusterScoped, [withFine]],
    [{ includedResources: ['pods'] }, `${lists}\n${namespaced}\n${clusterScoped}`, [withLists, withFine]],
    [{ includedNamespaceScopedResources: ['pods'] }, `${lists}\n${namespaced}\n${clusterScoped}`, []],
    [{}, `${lists}\n${namespaced}\n${clusterScoped}`, []],
    [{ includedResources: ['pods'] }, 'volumePolicies: []', []],
  ])('%j with %s: %j', (spec, policies, errors) =>
    expect(validateBackupFilters(spec, policiesOf(policies))).toEqual(errors),
  );
});
