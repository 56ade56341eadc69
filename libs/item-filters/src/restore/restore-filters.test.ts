import type { RestoreSpec } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import type { ItemOrigin } from '../items/item-facts.ts';
import { itemOf, policiesOf } from '../testing/ask.ts';
import { knownTypes } from '../testing/known-cluster.ts';
import { type ArchivedResource, restoreFilters } from './restore-filters.ts';

interface Row extends ItemOrigin {
  item: string;
  spec?: RestoreSpec;
  policies?: string;
  labels?: Record<string, string>;
  gone?: ArchivedResource;
  /** Absent: it is restored. */
  out?: string;
}

function ask({ item, spec = {}, policies, labels, gone, additional, mustInclude }: Row): string | undefined {
  const filters = restoreFilters({
    spec,
    policies: policies === undefined ? undefined : policiesOf(policies),
    types: knownTypes,
    archived: gone === undefined ? [] : [gone],
  });
  const [groupResource = '', key = ''] = item.split(' ');
  const [namespace, name = ''] = key.split('/');
  const facts =
    gone === undefined
      ? itemOf(item, labels === undefined ? {} : { labels })
      : { ...gone, namespace, name, labels, isTerminating: false };
  const decision = filters.decide({ ...facts, groupResource }, { additional, mustInclude });
  return decision.included ? undefined : decision.reason;
}

const web = { matchLabels: { app: 'web' } };
const dataUpload: ArchivedResource = { groupResource: 'datauploads.velero.io', kind: 'DataUpload', namespaced: true };
const gadget: ArchivedResource = { groupResource: 'gadgets.example.org', kind: 'Gadget', namespaced: true };

const rows: Record<string, Row[]> = {
  namespaces: [
    { item: 'pods shop/web' },
    { item: 'pods shop/web', spec: { includedNamespaces: ['*'] } },
    { item: 'pods shop/web', spec: { includedNamespaces: ['shop'] } },
    { item: 'pods shop/web', spec: { includedNamespaces: ['sh*'] } },
    { item: 'pods shop/web', spec: { includedNamespaces: ['bank'] }, out: 'namespace shop is not included' },
    { item: 'pods shop/web', spec: { excludedNamespaces: ['shop'] }, out: 'namespace shop is not included' },
    { item: 'pods shop/web', spec: { excludedNamespaces: ['s?op'] }, out: 'namespace shop is not included' },
    {
      item: 'pods shop/web',
      spec: { excludedNamespaces: ['shop'] },
      additional: true,
      out: 'namespace shop is not included',
    },
    { item: 'pods shop/web', spec: { excludedNamespaces: ['shop'] }, additional: true, mustInclude: true },
    { item: 'namespaces shop', spec: { includedNamespaces: ['bank'] }, out: 'namespace shop is not included' },
    { item: 'namespaces shop', spec: { includedNamespaces: ['shop'] } },
    // The mapping is only about the target; namespaces are chosen by their names in the backup.
    { item: 'pods shop/web', spec: { includedNamespaces: ['shop'], namespaceMapping: { shop: 'shop-two' } } },
    {
      item: 'pods shop/web',
      spec: { includedNamespaces: ['shop-two'], namespaceMapping: { shop: 'shop-two' } },
      out: 'namespace shop is not included',
    },
  ],
  resources: [
    { item: 'pods shop/web', spec: { includedResources: ['pods'] } },
    { item: 'pods shop/web', spec: { includedResources: ['po'] } },
    { item: 'deployments.apps shop/web', spec: { includedResources: ['Deployment'] } },
    { item: 'deployments.apps shop/web', spec: { includedResources: ['*.apps'] } },
    {
      item: 'secrets shop/key',
      spec: { includedResources: ['pods'] },
      out: 'includedResources does not have secrets',
    },
    {
      item: 'secrets shop/key',
      spec: { includedResources: ['pods'] },
      additional: true,
      out: 'includedResources does not have secrets',
    },
    { item: 'secrets shop/key', spec: { includedResources: ['pods'] }, additional: true, mustInclude: true },
    { item: 'secrets shop/key', spec: { excludedResources: ['secrets'] }, out: 'excludedResources has secrets' },
    {
      item: 'secrets shop/key',
      spec: { excludedResources: ['secrets'] },
      additional: true,
      out: 'excludedResources has secrets',
    },
    { item: 'secrets shop/key', spec: { excludedResources: ['secrets'] }, additional: true, mustInclude: true },
    { item: 'events shop/x', spec: { excludedResources: ['events'] }, out: 'excludedResources has events' },
    { item: 'gadgets.example.org shop/g', gone: gadget, spec: { includedResources: ['gadgets.example.org'] } },
    // A short name that the cluster learns only from the CRD in the same archive.
    { item: 'gadgets.example.org shop/g', gone: gadget, spec: { includedResources: ['gadgets'] } },
    {
      item: 'gadgets.example.org shop/g',
      gone: gadget,
      spec: { excludedResources: ['Gadget'] },
      out: 'excludedResources has gadgets.example.org',
    },
  ],
  'cluster-scoped': [
    { item: 'clusterroles.rbac.authorization.k8s.io admin' },
    { item: 'clusterroles.rbac.authorization.k8s.io admin', spec: { includeClusterResources: true } },
    {
      item: 'clusterroles.rbac.authorization.k8s.io admin',
      spec: { includeClusterResources: false },
      out: 'includeClusterResources is false',
    },
    {
      item: 'clusterroles.rbac.authorization.k8s.io admin',
      spec: { includeClusterResources: false },
      additional: true,
      out: 'includeClusterResources is false',
    },
    {
      item: 'clusterroles.rbac.authorization.k8s.io admin',
      spec: { includeClusterResources: false },
      additional: true,
      mustInclude: true,
    },
    {
      item: 'clusterroles.rbac.authorization.k8s.io admin',
      spec: { includedNamespaces: ['shop'] },
      out: 'with included or excluded namespaces, cluster-scoped objects are included only if other objects need them',
    },
    {
      item: 'clusterroles.rbac.authorization.k8s.io admin',
      spec: { excludedNamespaces: ['shop'] },
      out: 'with included or excluded namespaces, cluster-scoped objects are included only if other objects need them',
    },
    {
      item: 'clusterroles.rbac.authorization.k8s.io admin',
      spec: { includedNamespaces: ['shop'] },
      additional: true,
    },
    {
      item: 'clusterroles.rbac.authorization.k8s.io admin',
      spec: { includedNamespaces: ['shop'], includeClusterResources: true },
    },
    {
      item: 'clusterroles.rbac.authorization.k8s.io admin',
      spec: { includedNamespaces: ['shop'], includeClusterResources: null },
      additional: true,
    },
    {
      item: 'clusterroles.rbac.authorization.k8s.io admin',
      spec: { includeClusterResources: true, includedResources: ['pods'] },
      additional: true,
      out: 'includedResources does not have clusterroles.rbac.authorization.k8s.io',
    },
    {
      item: 'persistentvolumes pv',
      spec: { includedNamespaces: ['shop'], excludedResources: ['pv'] },
      additional: true,
      out: 'excludedResources has persistentvolumes',
    },
  ],
  labels: [
    { item: 'pods shop/web', spec: { labelSelector: web }, labels: { app: 'web' } },
    {
      item: 'pods shop/web',
      spec: { labelSelector: web },
      out: 'its labels do not match the label selector of the restore',
    },
    { item: 'pods shop/web', spec: { labelSelector: web }, additional: true },
    { item: 'pods shop/web', spec: { labelSelector: {} } },
    { item: 'pods shop/web', spec: { labelSelector: null } },
    {
      item: 'pods shop/web',
      spec: { orLabelSelectors: [{ matchLabels: { app: 'db' } }, web] },
      labels: { app: 'web' },
    },
    {
      item: 'pods shop/web',
      spec: { orLabelSelectors: [{ matchLabels: { app: 'db' } }, web] },
      labels: { app: 'cache' },
      out: 'its labels do not match the label selector of the restore',
    },
    { item: 'namespaces shop', spec: { labelSelector: web } },
    // The label excludes objects from backups, not from restores: the object is in the archive.
    { item: 'pods shop/web', labels: { 'velero.io/exclude-from-backup': 'true' } },
  ],
  'DataUploads, from which a restore knows where data is': [
    { item: 'datauploads.velero.io velero/d', gone: dataUpload, spec: { includedNamespaces: ['shop'] } },
    { item: 'datauploads.velero.io velero/d', gone: dataUpload, spec: { includedResources: ['pods'] } },
    { item: 'datauploads.velero.io velero/d', gone: dataUpload, spec: { labelSelector: web } },
    {
      item: 'datauploads.velero.io velero/d',
      gone: dataUpload,
      policies: 'namespacedFilterPolicies: [{namespaces: [velero], resourceFilters: [{kinds: [pods]}]}]',
    },
  ],
  'fine-grained policies': [
    {
      item: 'pods shop/web',
      policies: 'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [pods]}]}]',
    },
    {
      item: 'secrets shop/key',
      policies: 'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [pods]}]}]',
      out: 'namespacedFilterPolicies[0] does not list secrets',
    },
    {
      item: 'secrets bank/key',
      policies: 'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [pods]}]}]',
    },
    {
      item: 'secrets shop/key',
      policies: 'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [pods]}]}]',
      additional: true,
    },
    {
      item: 'secrets shop/key',
      policies: 'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [pods]}, {kinds: ["*"]}]}]',
    },
    {
      item: 'pods shop/web-1',
      policies: 'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [pods], names: [web-*]}]}]',
    },
    {
      item: 'pods shop/db-1',
      policies: 'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [pods], names: [web-*]}]}]',
      out: 'namespacedFilterPolicies[0].resourceFilters[0] does not include its name',
    },
    {
      item: 'pods shop/web-1',
      policies:
        'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [pods], excludedNames: [web-1]}]}]',
      out: 'namespacedFilterPolicies[0].resourceFilters[0] does not include its name',
    },
    // An exact name takes precedence over every glob, whatever the order.
    {
      item: 'pods shop/web',
      policies:
        'namespacedFilterPolicies: [{namespaces: ["*"], resourceFilters: [{kinds: [secrets]}]}, {namespaces: [shop], resourceFilters: [{kinds: [pods]}]}]',
    },
    {
      item: 'pods bank/web',
      policies:
        'namespacedFilterPolicies: [{namespaces: ["*"], resourceFilters: [{kinds: [secrets]}]}, {namespaces: [shop], resourceFilters: [{kinds: [pods]}]}]',
      out: 'namespacedFilterPolicies[0] does not list pods',
    },
    {
      item: 'pods shop/web',
      labels: { app: 'web' },
      policies:
        'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [pods], labelSelector: {matchLabels: {app: db}}}]}]',
      out: 'its labels do not match namespacedFilterPolicies[0].resourceFilters[0]',
    },
    // A policy's filter replaces the selectors of the spec.
    {
      item: 'pods shop/web',
      spec: { labelSelector: web },
      policies: 'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [pods]}]}]',
    },
    {
      item: 'pods shop/web',
      spec: { excludedResources: ['pods'] },
      policies: 'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [pods]}]}]',
      out: 'excludedResources has pods',
    },
    // The cluster does not serve it; the Kind in the archive identifies the resource.
    {
      item: 'gadgets.example.org shop/g',
      gone: gadget,
      policies: 'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [Gadget]}]}]',
    },
    {
      item: 'clusterroles.rbac.authorization.k8s.io admin',
      policies: 'clusterScopedFilterPolicy: {resourceFilters: [{kinds: [ClusterRole], names: [view]}]}',
      out: 'clusterScopedFilterPolicy.resourceFilters[0] does not include its name',
    },
    {
      item: 'storageclasses.storage.k8s.io fast',
      policies: 'clusterScopedFilterPolicy: {resourceFilters: [{kinds: [ClusterRole], names: [view]}]}',
    },
  ],
};

for (const [title, cases] of Object.entries(rows)) {
  describe(`what a restore takes: ${title}`, () => {
    it.each(cases)('$item of $spec $policies, additional $additional, must $mustInclude: $out', (row) => {
      expect(ask(row)).toBe(row.out);
    });
  });
}

describe('properties of restore filters', () => {
  it.each([
    { spec: {}, everything: true },
    { spec: { includedNamespaces: ['*'] }, everything: true },
    { spec: { includedNamespaces: ['shop'] }, everything: false },
    { spec: { includedNamespaces: ['sh*'] }, everything: false },
    { spec: { excludedNamespaces: ['shop'] }, everything: false },
  ])('$spec restores all namespaces of the backup: $everything', ({ spec, everything }) => {
    expect(restoreFilters({ spec, types: knownTypes }).allNamespaces).toBe(everything);
  });

  it('warns about kinds in a policy that the cluster does not know', () => {
    const policies = policiesOf(
      'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [nosuch]}]}]',
    );
    const { warnings } = restoreFilters({ spec: {}, policies, types: knownTypes });
    expect(warnings).toEqual(['namespacedFilterPolicies[0] lists nosuch, which this cluster does not know']);
  });
});
