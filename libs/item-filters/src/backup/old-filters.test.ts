import type { BackupSpec } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { ask } from '../testing/ask.ts';

type Row = [spec: BackupSpec, what: string, answer: string];
const alone =
  'with included or excluded namespaces, cluster-scoped objects are included only if other objects need them';

/** backup-and-restore.md section 3, the old family. */
describe('includedResources, excludedResources and includeClusterResources', () => {
  it.each<Row>([
    [{}, 'pods shop/a', 'in'],
    [{}, 'deployments.apps shop/a', 'in'],
    [{ includedResources: [] }, 'pods shop/a', 'in'],
    [{ includedResources: ['*'] }, 'pods shop/a', 'in'],
    [{ includedResources: ['pods'] }, 'pods shop/a', 'in'],
    [{ includedResources: ['pod'] }, 'pods shop/a', 'in'],
    [{ includedResources: ['po'] }, 'pods shop/a', 'in'],
    [{ includedResources: ['Deployment'] }, 'deployments.apps shop/a', 'in'],
    [{ includedResources: ['deploy'] }, 'deployments.apps shop/a', 'in'],
    [{ includedResources: ['*.example.com'] }, 'widgets.example.com shop/a', 'in'],
    [{ includedResources: ['*.example.com'] }, 'pods shop/a', 'includedResources does not have pods'],
    [{ includedResources: ['pods'] }, 'secrets shop/a', 'includedResources does not have secrets'],
    [{ includedResources: ['gadgets'] }, 'pods shop/a', 'includedResources does not have pods'],
    [{ includedResources: ['pods'] }, 'deployments.apps shop/a', 'includedResources does not have deployments.apps'],
    [{ excludedResources: ['pods'] }, 'pods shop/a', 'excludedResources has pods'],
    [{ excludedResources: ['po'] }, 'pods shop/a', 'excludedResources has pods'],
    [{ excludedResources: ['pods'] }, 'secrets shop/a', 'in'],
    [
      { excludedResources: ['*.example.com'] },
      'widgets.example.com shop/a',
      'excludedResources has widgets.example.com',
    ],
    [{ excludedResources: ['events'] }, 'events shop/a', 'excludedResources has events'],
    [{ excludedResources: ['events'] }, 'events.events.k8s.io shop/a', 'in'],
    [{ includedResources: ['*'], excludedResources: ['pods'] }, 'pods shop/a', 'excludedResources has pods'],
    [{ includedResources: ['*'], excludedResources: ['pods'] }, 'secrets shop/a', 'in'],
    [
      { includedResources: ['*.example.com'], excludedResources: ['widgets'] },
      'widgets.example.com shop/a',
      'excludedResources has widgets.example.com',
    ],
    [{ includedNamespaces: ['shop'] }, 'pods shop/a', 'in'],
    [{ includedNamespaces: ['shop'] }, 'pods bank/a', 'namespace bank is not included'],
    [{ includedNamespaces: ['shop*'] }, 'pods shop-test/a', 'in'],
    [{ excludedNamespaces: ['shop'] }, 'pods shop/a', 'namespace shop is not included'],
    [{ excludedNamespaces: ['shop'] }, 'pods bank/a', 'in'],
    [{ includeClusterResources: true }, 'pods shop/a', 'in'],
    [{ includeClusterResources: false }, 'pods shop/a', 'in'],
  ])('%j: %s: %s', (spec, what, answer) => expect(ask(what, { spec })).toBe(answer));

  it.each<Row>([
    [{}, 'nodes a', 'in'],
    [{ includeClusterResources: null }, 'nodes a', 'in'],
    [{ includeClusterResources: true }, 'nodes a', 'in'],
    [{ includeClusterResources: false }, 'nodes a', 'includeClusterResources is false'],
    [{ includedNamespaces: ['*'] }, 'nodes a', 'in'],
    [{ includedNamespaces: ['shop'] }, 'nodes a', alone],
    [{ includedNamespaces: ['shop*'] }, 'nodes a', alone],
    [{ excludedNamespaces: ['kube-system'] }, 'nodes a', alone],
    [{ includedNamespaces: ['shop'], includeClusterResources: true }, 'nodes a', 'in'],
    [{ includedNamespaces: ['shop'], includeClusterResources: false }, 'nodes a', 'includeClusterResources is false'],
    [{ includedResources: ['nodes'] }, 'nodes a', 'in'],
    [{ includedResources: ['pods'] }, 'nodes a', 'includedResources does not have nodes'],
    [{ excludedResources: ['nodes'] }, 'nodes a', 'excludedResources has nodes'],
    [{ excludedResources: ['no'], includeClusterResources: true }, 'nodes a', 'excludedResources has nodes'],
    [{ includedNamespaces: ['shop'], includedResources: ['nodes'] }, 'nodes a', alone],
    [{ includedNamespaces: ['shop'], includedResources: ['nodes'], includeClusterResources: true }, 'nodes a', 'in'],
    [
      { includedResources: ['pods'], includeClusterResources: true },
      'nodes a',
      'includedResources does not have nodes',
    ],
  ])('cluster-scoped, %j: %s: %s', (spec, what, answer) => expect(ask(what, { spec })).toBe(answer));

  it.each<Row>([
    [{ includedNamespaces: ['shop'] }, 'persistentvolumes a', 'in'],
    [{ includedNamespaces: ['shop'] }, 'clusterroles.rbac.authorization.k8s.io a', 'in'],
    [
      { includedNamespaces: ['shop'], excludedResources: ['pv'] },
      'persistentvolumes a',
      'excludedResources has persistentvolumes',
    ],
    [
      { includedNamespaces: ['shop'], includeClusterResources: false },
      'persistentvolumes a',
      'includeClusterResources is false',
    ],
    [{ includeClusterResources: false }, 'persistentvolumes a', 'includeClusterResources is false'],
    // A list of the old family applies to additional items too.
    [{ includedResources: ['pvc'] }, 'persistentvolumes a', 'includedResources does not have persistentvolumes'],
    [{ includedResources: ['pvc'], includeClusterResources: true }, 'persistentvolumes a', 'in'],
    [{ includedResources: ['pvc', 'pv'], includedNamespaces: ['shop'] }, 'persistentvolumes a', 'in'],
    [
      { includedResources: ['pods'] },
      'persistentvolumeclaims shop/a',
      'includedResources does not have persistentvolumeclaims',
    ],
    [{ includedNamespaces: ['shop'] }, 'secrets kube-system/a', 'namespace kube-system is not included'],
    [{ excludedResources: ['secrets'] }, 'secrets shop/a', 'excludedResources has secrets'],
    [{ excludedResources: ['pods'] }, 'customresourcedefinitions.apiextensions.k8s.io a', 'in'],
  ])('named by an action, %j: %s: %s', (spec, what, answer) =>
    expect(ask(what, { spec, additional: true })).toBe(answer),
  );
});
