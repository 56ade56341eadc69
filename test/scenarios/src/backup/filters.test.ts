import type { BackupSpec, KubeObject } from '@lateen/api-types';
import { aConfigMap, aNamespace, aPod, aSecret, aStorageClass } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { backupWorlds } from './backup-worlds.ts';

const worlds = backupWorlds();

const objects: KubeObject[] = [
  aNamespace({ name: 'velero' }),
  aNamespace({ name: 'shop', labels: { team: 'web' } }),
  aConfigMap({ name: 'app-settings', namespace: 'shop', labels: { app: 'web' } }),
  aConfigMap({ name: 'app-tmp', namespace: 'shop', labels: { app: 'web' } }),
  aSecret({ name: 'keys', namespace: 'shop', labels: { app: 'job' } }),
  aPod({ name: 'web', namespace: 'shop', labels: { app: 'web' }, phase: 'Running' }),
  aNamespace({ name: 'bank', labels: { team: 'money' } }),
  aConfigMap({ name: 'ledger', namespace: 'bank' }),
  aNamespace({ name: 'scratch', labels: { 'velero.io/exclude-from-backup': 'true' } }),
  aConfigMap({ name: 'notes', namespace: 'scratch' }),
  aStorageClass({ name: 'fast' }),
  aStorageClass({ name: 'slow' }),
];

const policies = (text: string) =>
  aConfigMap({ name: 'policies', namespace: 'velero', data: { policies: `version: v1\n${text}` } });

/** What the archive of a backup has, without the objects of the installation itself and the namespaces that every cluster has. */
async function archived(spec: BackupSpec, ...more: KubeObject[]): Promise<string[]> {
  const world = worlds.running({ objects: [...objects, ...more] });
  await world.create('nightly', spec);
  const { status } = await world.until('nightly', 'Completed', 'PartiallyFailed', 'Failed', 'FailedValidation');
  expect(status).toMatchObject({ phase: 'Completed' });
  return (await world.stored.archived('nightly')).filter(
    (item) => !/\bvelero\b|namespaces\/(default|kube-system)/.test(item),
  );
}

const resourcePolicy = { kind: 'configmap', name: 'policies' };

describe('the filters of a backup from spec to archive', () => {
  it('include cluster-scoped objects in a backup of everything, and leave out a namespace with the exclude label', async () => {
    expect(await archived({})).toEqual([
      'configmaps/bank/ledger',
      'configmaps/shop/app-settings',
      'configmaps/shop/app-tmp',
      'namespaces/bank',
      'namespaces/shop',
      'pods/shop/web',
      'secrets/shop/keys',
      'storageclasses.storage.k8s.io/fast',
      'storageclasses.storage.k8s.io/slow',
    ]);
  });

  it('select namespaces by the labels of a policy when the backup selects none', async () => {
    const byLabel = policies('includeExcludePolicy: {includedNamespacesByLabel: ["team=money"]}');
    expect(await archived({ resourcePolicy }, byLabel)).toEqual(['configmaps/bank/ledger', 'namespaces/bank']);
  });

  it('apply the allow-list of a namespace also in a backup of everything', async () => {
    const text = `
namespacedFilterPolicies:
- namespaces: [shop]
  resourceFilters:
  - kinds: [ConfigMap]
    names: ["app-*"]
    excludedNames: ["*-tmp"]
clusterScopedFilterPolicy:
  resourceFilters:
  - kinds: [StorageClass]
    names: [fast]
`;
    expect(await archived({ resourcePolicy }, policies(text))).toEqual([
      'configmaps/bank/ledger',
      'configmaps/shop/app-settings',
      'namespaces/bank',
      'namespaces/shop',
      'storageclasses.storage.k8s.io/fast',
    ]);
  });

  it('store once what several selectors match, together with its namespace', async () => {
    const orLabelSelectors = [
      { matchLabels: { app: 'web' } },
      { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'job'] }] },
    ];
    expect(await archived({ orLabelSelectors, excludedResources: ['pods'] })).toEqual([
      'configmaps/shop/app-settings',
      'configmaps/shop/app-tmp',
      'namespaces/shop',
      'secrets/shop/keys',
    ]);
  });

  it('log a warning about entries of a policy that have no effect', async () => {
    const text =
      'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [ConfigMap, StorageClass]}]}]';
    const world = worlds.running({ objects: [...objects, policies(text)] });
    await world.create('nightly', { includedNamespaces: ['shop'], resourcePolicy });
    const { status } = await world.until('nightly', 'Completed', 'PartiallyFailed', 'Failed', 'FailedValidation');
    expect(status).toMatchObject({ phase: 'Completed', warnings: 1 });
    expect(world.stored.logText('nightly')).toContain(
      'lists StorageClass, which has no effect there: it is cluster-scoped',
    );
  });
});
