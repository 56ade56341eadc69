import type { BackupSpec } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { ask, filtersOf } from '../testing/ask.ts';

type Row = [spec: BackupSpec, what: string, answer: string];
const alone =
  'with included or excluded namespaces, cluster-scoped objects are included only if other objects need them';
const snapshots = 'volumesnapshots.snapshot.storage.k8s.io';
const contents = 'volumesnapshotcontents.snapshot.storage.k8s.io';
const noneChosen = 'includedClusterScopedResources is empty';

/** backup-and-restore.md section 3, the new family. */
describe('included and excluded resources by scope', () => {
  it.each<Row>([
    [{ includedNamespaceScopedResources: ['*'] }, 'pods shop/a', 'in'],
    [{ includedNamespaceScopedResources: ['pods'] }, 'pods shop/a', 'in'],
    [
      { includedNamespaceScopedResources: ['pods'] },
      'secrets shop/a',
      'includedNamespaceScopedResources does not have secrets',
    ],
    [{ includedNamespaceScopedResources: ['deploy', 'sts'] }, 'statefulsets.apps shop/a', 'in'],
    [{ excludedNamespaceScopedResources: ['pods'] }, 'pods shop/a', 'excludedNamespaceScopedResources has pods'],
    [{ excludedNamespaceScopedResources: ['pods'] }, 'secrets shop/a', 'in'],
    [{ excludedNamespaceScopedResources: ['*'] }, 'pods shop/a', 'excludedNamespaceScopedResources has pods'],
    [
      { excludedNamespaceScopedResources: ['*.example.com'] },
      'widgets.example.com shop/a',
      'excludedNamespaceScopedResources has widgets.example.com',
    ],
    [{ includedClusterScopedResources: ['nodes'] }, 'pods shop/a', 'in'],
    [{ excludedClusterScopedResources: ['*'] }, 'pods shop/a', 'in'],
    [
      { includedNamespaceScopedResources: ['pods'], includedNamespaces: ['bank'] },
      'pods shop/a',
      'namespace shop is not included',
    ],
  ])('%j: %s: %s', (spec, what, answer) => expect(ask(what, { spec })).toBe(answer));

  it.each<Row>([
    [{}, 'nodes a', 'in'],
    [{ includedClusterScopedResources: ['*'] }, 'nodes a', 'in'],
    [{ includedClusterScopedResources: ['*'], includedNamespaces: ['shop'] }, 'nodes a', 'in'],
    [{ includedClusterScopedResources: ['nodes'] }, 'nodes a', 'in'],
    [{ includedClusterScopedResources: ['no'], excludedNamespaces: ['shop'] }, 'nodes a', 'in'],
    [{ includedClusterScopedResources: ['pv'] }, 'nodes a', 'includedClusterScopedResources does not have nodes'],
    [{ includedNamespaceScopedResources: ['*'] }, 'nodes a', 'in'],
    [{ includedNamespaceScopedResources: ['*'], includedNamespaces: ['shop'] }, 'nodes a', alone],
    [{ includedNamespaceScopedResources: ['pods'] }, 'nodes a', noneChosen],
    // The server's filters for a backup without filters.
    [
      {
        excludedNamespaceScopedResources: [snapshots],
        excludedClusterScopedResources: [contents],
        includedNamespaces: ['*'],
      },
      'nodes a',
      'in',
    ],
    [
      {
        excludedNamespaceScopedResources: [snapshots],
        excludedClusterScopedResources: [contents],
        includedNamespaces: ['shop'],
      },
      'nodes a',
      alone,
    ],
    [
      { excludedNamespaceScopedResources: [snapshots], excludedClusterScopedResources: ['nodes', contents] },
      'persistentvolumes a',
      noneChosen,
    ],
    [
      { excludedNamespaceScopedResources: ['secrets', snapshots], excludedClusterScopedResources: [contents] },
      'nodes a',
      noneChosen,
    ],
    [{ excludedNamespaceScopedResources: ['pods'] }, 'nodes a', noneChosen],
    [{ excludedClusterScopedResources: ['pv'] }, 'nodes a', noneChosen],
    [{ excludedClusterScopedResources: ['nodes'] }, 'nodes a', 'excludedClusterScopedResources has nodes'],
    [{ excludedClusterScopedResources: ['*'] }, 'nodes a', 'excludedClusterScopedResources has nodes'],
    [
      { includedClusterScopedResources: ['*'], excludedClusterScopedResources: ['nodes'] },
      'nodes a',
      'excludedClusterScopedResources has nodes',
    ],
    [{ includedClusterScopedResources: ['*'], excludedClusterScopedResources: ['pv'] }, 'nodes a', 'in'],
    [{ includedClusterScopedResources: ['*.example.com'] }, 'fleets.example.com a', 'in'],
  ])('cluster-scoped, %j: %s: %s', (spec, what, answer) => expect(ask(what, { spec })).toBe(answer));

  it.each<Row>([
    [{ includedNamespaceScopedResources: ['pvc'] }, 'persistentvolumes a', 'in'],
    [{ includedClusterScopedResources: ['nodes'] }, 'persistentvolumes a', 'in'],
    [
      { excludedClusterScopedResources: ['pv'] },
      'persistentvolumes a',
      'excludedClusterScopedResources has persistentvolumes',
    ],
    [
      { excludedClusterScopedResources: ['*'] },
      'persistentvolumes a',
      'excludedClusterScopedResources has persistentvolumes',
    ],
    [
      { includedNamespaceScopedResources: ['pods'] },
      'persistentvolumeclaims shop/a',
      'includedNamespaceScopedResources does not have persistentvolumeclaims',
    ],
    [{ includedNamespaceScopedResources: ['pods'], includedNamespaces: ['shop'] }, 'persistentvolumes a', 'in'],
  ])('named by an action, %j: %s: %s', (spec, what, answer) =>
    expect(ask(what, { spec, additional: true })).toBe(answer),
  );

  it.each<Row>([
    [{ includedNamespaceScopedResources: ['nodes'] }, 'pods shop/a', 'in'],
    [
      { includedNamespaceScopedResources: ['nodes', 'pods'] },
      'secrets shop/a',
      'includedNamespaceScopedResources does not have secrets',
    ],
    [{ includedClusterScopedResources: ['pods'] }, 'nodes a', 'in'],
    [{ excludedClusterScopedResources: ['pods'] }, 'pods shop/a', 'in'],
    [{ excludedNamespaceScopedResources: ['nodes'] }, 'nodes a', 'in'],
  ])('a name of the other scope has no effect, %j: %s: %s', (spec, what, answer) => {
    expect(ask(what, { spec })).toBe(answer);
    expect(filtersOf({ spec }).warnings).toEqual([
      expect.stringMatching(/^(in|ex)cluded\w+ has (nodes|pods), which has no effect there: it is of the other scope$/),
    ]);
  });

  const policy = (lists: string) => `includeExcludePolicy:\n  ${lists}`;
  it.each<[spec: BackupSpec, lists: string, what: string, answer: string]>([
    [{}, 'includedNamespaceScopedResources: [pods]', 'pods shop/a', 'in'],
    [
      {},
      'includedNamespaceScopedResources: [pods]',
      'secrets shop/a',
      'includedNamespaceScopedResources does not have secrets',
    ],
    [{}, 'excludedNamespaceScopedResources: [pods]', 'pods shop/a', 'excludedNamespaceScopedResources has pods'],
    [{}, 'excludedNamespaceScopedResources: [po]', 'pods shop/a', 'excludedNamespaceScopedResources has pods'],
    [
      { includedNamespaceScopedResources: ['secrets'] },
      'includedNamespaceScopedResources: [pods]',
      'pods shop/a',
      'in',
    ],
    [
      { includedNamespaceScopedResources: ['secrets'] },
      'includedNamespaceScopedResources: [pods]',
      'secrets shop/a',
      'in',
    ],
    // The backup's own lists take precedence.
    [{ includedNamespaceScopedResources: ['pods'] }, 'excludedNamespaceScopedResources: [pods]', 'pods shop/a', 'in'],
    [{ includedNamespaceScopedResources: ['*'] }, 'excludedNamespaceScopedResources: [pods]', 'pods shop/a', 'in'],
    [
      { excludedNamespaceScopedResources: ['pods'] },
      'includedNamespaceScopedResources: [pods, secrets]',
      'pods shop/a',
      'excludedNamespaceScopedResources has pods',
    ],
    [
      { excludedNamespaceScopedResources: ['pods'] },
      'includedNamespaceScopedResources: [pods, secrets]',
      'secrets shop/a',
      'in',
    ],
    [
      { excludedNamespaceScopedResources: ['*'] },
      'includedNamespaceScopedResources: [pods]',
      'pods shop/a',
      'excludedNamespaceScopedResources has pods',
    ],
    [{}, 'includedClusterScopedResources: [nodes]', 'nodes a', 'in'],
    [
      {},
      'includedClusterScopedResources: [nodes]',
      'persistentvolumes a',
      'includedClusterScopedResources does not have persistentvolumes',
    ],
    [
      { includedNamespaces: ['shop'] },
      'includedClusterScopedResources: [crd]',
      'customresourcedefinitions.apiextensions.k8s.io a',
      'in',
    ],
    [{}, 'excludedClusterScopedResources: [nodes]', 'nodes a', 'excludedClusterScopedResources has nodes'],
    [{ includedClusterScopedResources: ['nodes'] }, 'excludedClusterScopedResources: [nodes]', 'nodes a', 'in'],
    [
      { excludedClusterScopedResources: ['nodes'] },
      'includedClusterScopedResources: [nodes]',
      'nodes a',
      'excludedClusterScopedResources has nodes',
    ],
    [{}, 'excludedClusterScopedResources: []', 'nodes a', 'in'],
    // When a policy both includes and excludes, the exclusion counts.
    [
      {},
      '{includedNamespaceScopedResources: [pods], excludedNamespaceScopedResources: [pods]}',
      'pods shop/a',
      'excludedNamespaceScopedResources has pods',
    ],
    [
      {},
      '{includedNamespaceScopedResources: [pods], excludedNamespaceScopedResources: [pods]}',
      'secrets shop/a',
      'in',
    ],
  ])('%j with a policy of %s: %s: %s', (spec, lists, what, answer) =>
    expect(ask(what, { spec, policies: policy(lists) })).toBe(answer),
  );

  it.each<[spec: BackupSpec, lists: string, what: string, answer: string]>([
    [{}, 'includedNamespacesByLabel: ["team=web"]', 'pods shop/a', 'in'],
    [{}, 'includedNamespacesByLabel: ["team=web"]', 'pods bank/a', 'namespace bank is not included'],
    [{}, 'includedNamespacesByLabel: ["team=nobody"]', 'pods shop/a', 'namespace shop is not included'],
    [{}, 'includedNamespacesByLabel: ["team=web"]', 'nodes a', alone],
    [{}, 'excludedNamespacesByLabel: ["team=web"]', 'pods shop/a', 'namespace shop is not included'],
    [{}, 'excludedNamespacesByLabel: ["team=web"]', 'pods bank/a', 'in'],
    [
      { includedNamespaces: ['shop'] },
      'excludedNamespacesByLabel: ["team=web"]',
      'pods shop/a',
      'namespace shop is not included',
    ],
    [{ includedNamespaces: ['bank'] }, 'includedNamespacesByLabel: ["team=web"]', 'pods bank/a', 'in'],
  ])('%j with a policy of %s: %s: %s', (spec, lists, what, answer) =>
    expect(ask(what, { spec, policies: policy(lists) })).toBe(answer),
  );
});
