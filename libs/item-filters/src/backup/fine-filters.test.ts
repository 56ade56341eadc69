import type { BackupSpec } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { type Asked, ask, filtersOf } from '../testing/ask.ts';

const web = { app: 'web' };
const db = { app: 'db' };

/** In the namespace `shop` only these are included; `bank` has no policy. */
const allowList = `
namespacedFilterPolicies:
- namespaces: [shop]
  resourceFilters:
  - kinds: [ConfigMap, Secret]
    labelSelector: {matchLabels: {app: web}}
  - kinds: [deployments]
    names: ["api-*", worker]
    excludedNames: ["*-debug"]
  - kinds: [StatefulSet]
`;

describe('namespacedFilterPolicies', () => {
  it.each<[what: string, labels: Record<string, string> | undefined, answer: string]>([
    ['configmaps shop/a', web, 'in'],
    ['secrets shop/a', web, 'in'],
    ['configmaps shop/a', db, 'its labels do not match namespacedFilterPolicies[0].resourceFilters[0]'],
    ['configmaps shop/a', undefined, 'its labels do not match namespacedFilterPolicies[0].resourceFilters[0]'],
    ['deployments.apps shop/api-v1', undefined, 'in'],
    ['deployments.apps shop/worker', undefined, 'in'],
    [
      'deployments.apps shop/other',
      undefined,
      'namespacedFilterPolicies[0].resourceFilters[1] does not include its name',
    ],
    [
      'deployments.apps shop/api-debug',
      undefined,
      'namespacedFilterPolicies[0].resourceFilters[1] does not include its name',
    ],
    ['statefulsets.apps shop/any', db, 'in'],
    ['pods shop/a', web, 'namespacedFilterPolicies[0] does not list pods'],
    ['serviceaccounts shop/default', undefined, 'namespacedFilterPolicies[0] does not list serviceaccounts'],
    ['pods bank/a', undefined, 'in'],
    ['configmaps bank/a', db, 'in'],
    ['nodes a', undefined, 'in'],
  ])('an allow-list for shop: %s with %j: %s', (what, labels, answer) =>
    expect(ask(what, { policies: allowList, ...(labels && { labels }) })).toBe(answer),
  );

  // Velero included every kind here (its issue 10454).
  it.each<BackupSpec>([
    {},
    { includedNamespaces: ['*'] },
    { includedNamespaces: ['shop'] },
    { includedNamespaces: ['sh*'] },
  ])('matches with %j', (spec) => {
    expect(ask('pods shop/a', { spec, policies: allowList })).toBe('namespacedFilterPolicies[0] does not list pods');
    expect(
      filtersOf({ spec, policies: allowList }).decide({
        groupResource: 'pods',
        kind: 'Pod',
        namespaced: true,
        namespace: 'shop',
        name: 'a',
        isTerminating: false,
      }),
    ).toMatchObject({ included: false });
  });

  const catchAll = (kinds: string) => `
namespacedFilterPolicies:
- namespaces: [shop]
  resourceFilters:
  - kinds: [Secret]
    names: [app-secret]
  ${kinds}
`;
  it.each<[kinds: string, what: string, labels: Record<string, string>, answer: string]>([
    ['- kinds: ["*"]', 'pods shop/a', {}, 'in'],
    ['- kinds: []', 'pods shop/a', {}, 'in'],
    ['- labelSelector: {matchLabels: {app: web}}', 'pods shop/a', web, 'in'],
    [
      '- labelSelector: {matchLabels: {app: web}}',
      'pods shop/a',
      db,
      'its labels do not match namespacedFilterPolicies[0].resourceFilters[1]',
    ],
    ['- kinds: ["*"]', 'secrets shop/app-secret', {}, 'in'],
    [
      '- kinds: ["*"]',
      'secrets shop/other',
      {},
      'namespacedFilterPolicies[0].resourceFilters[0] does not include its name',
    ],
    ['- labelSelector: {matchLabels: {app: web}}', 'secrets shop/app-secret', db, 'in'],
    ['- kinds: ["*"]', 'widgets.example.com shop/a', {}, 'in'],
  ])('a catch-all %j: %s with %j: %s', (kinds, what, labels, answer) =>
    expect(ask(what, { policies: catchAll(kinds), labels })).toBe(answer),
  );

  it('does not apply the label selector of the backup in a namespace with a policy', () => {
    const spec: BackupSpec = { labelSelector: { matchLabels: { app: 'db' } } };
    const asked = { spec, policies: catchAll('- kinds: ["*"]'), labels: web };
    expect(ask('pods shop/a', asked)).toBe('in');
    expect(ask('secrets shop/app-secret', asked)).toBe('in');
    expect(ask('pods bank/a', asked)).toBe('its labels do not match the label selector of the backup');
  });

  const order = `
namespacedFilterPolicies:
- namespaces: ["sh*"]
  resourceFilters: [{kinds: [Pod]}]
- namespaces: ["*-test", "shop-*"]
  resourceFilters: [{kinds: [Secret]}]
- namespaces: [shop, "b?nk"]
  resourceFilters: [{kinds: [ConfigMap]}]
`;
  it.each<[what: string, answer: string]>([
    // An exact name takes precedence over an earlier glob.
    ['configmaps shop/a', 'in'],
    ['pods shop/a', 'namespacedFilterPolicies[2] does not list pods'],
    // Among globs the first one counts, even when a later one is more exact.
    ['pods shop-test/a', 'in'],
    ['secrets shop-test/a', 'namespacedFilterPolicies[0] does not list secrets'],
    ['configmaps bank/a', 'in'],
    ['pods kube-system/a', 'in'],
  ])('uses the matching policy: %s: %s', (what, answer) => expect(ask(what, { policies: order })).toBe(answer));

  it.each<[filter: string, labels: Record<string, string>, answer: 'in' | 'out']>([
    ['labelSelector: {matchLabels: {a: "1", b: "2"}}', { a: '1', b: '2' }, 'in'],
    ['labelSelector: {matchLabels: {a: "1", b: "2"}}', { a: '1' }, 'out'],
    ['labelSelector: {matchLabels: {a: 1}}', { a: '1' }, 'in'],
    ['labelSelector: {matchLabels: {a: true}}', { a: 'true' }, 'in'],
    ['labelSelector: {matchExpressions: [{key: a, operator: In, values: [x, y]}]}', { a: 'y' }, 'in'],
    ['labelSelector: {matchExpressions: [{key: a, operator: NotIn, values: [x]}]}', {}, 'in'],
    ['labelSelector: {matchExpressions: [{key: a, operator: Exists}]}', {}, 'out'],
    ['labelSelector: {matchExpressions: [{key: a, operator: DoesNotExist}]}', {}, 'in'],
    ['orLabelSelectors: [{matchLabels: {a: "1"}}, {matchLabels: {b: "2"}}]', { b: '2' }, 'in'],
    ['orLabelSelectors: [{matchLabels: {a: "1"}}, {matchLabels: {b: "2"}}]', { b: '1' }, 'out'],
    ['orLabelSelectors: [{matchLabels: {a: "1"}}, {}]', {}, 'in'],
    ['labelSelector: {}', {}, 'in'],
  ])('with %s an object with %j is %s', (filter, labels, answer) => {
    const policies = `
namespacedFilterPolicies:
- namespaces: [shop]
  resourceFilters:
  - kinds: [Pod]
    ${filter}
`;
    expect(ask('pods shop/a', { policies, labels }) === 'in' ? 'in' : 'out').toBe(answer);
  });

  it.each<[kind: string, what: string, answer: 'in' | 'out']>([
    ['Deployment', 'deployments.apps shop/a', 'in'],
    ['deployments', 'deployments.apps shop/a', 'in'],
    ['deploy', 'deployments.apps shop/a', 'in'],
    ['deployments.apps', 'deployments.apps shop/a', 'in'],
    ['DEPLOYMENT', 'deployments.apps shop/a', 'in'],
    ['PersistentVolumeClaim', 'persistentvolumeclaims shop/a', 'in'],
    ['pvc', 'persistentvolumeclaims shop/a', 'in'],
    ['*.example.com', 'widgets.example.com shop/a', 'in'],
    ['Widget', 'pods shop/a', 'out'],
    ['Event', 'events shop/a', 'in'],
    ['Event', 'events.events.k8s.io shop/a', 'out'],
  ])('kind %s means %s: %s', (kind, what, answer) => {
    const policies = `namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: ["${kind}"]}]}]`;
    expect(ask(what, { policies }) === 'in' ? 'in' : 'out').toBe(answer);
  });

  it('compares a kind that the cluster does not know with the kind of the object', () => {
    const policies = 'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [Gadget]}]}]';
    const gadget = {
      groupResource: 'gadgets.example.com',
      kind: 'Gadget',
      namespaced: true,
      namespace: 'shop',
      name: 'a',
      isTerminating: false,
    };
    expect(filtersOf({ policies }).decide(gadget)).toEqual({ included: true });
    expect(filtersOf({ policies }).decide({ ...gadget, kind: 'Other' })).toMatchObject({ included: false });
  });

  it.each<[what: string, asked: Asked, answer: string]>([
    ['pods shop/a', { additional: true }, 'in'],
    ['persistentvolumeclaims shop/a', { additional: true }, 'in'],
    ['configmaps shop/a', { additional: true, labels: db }, 'in'],
    ['deployments.apps shop/api-v1', { additional: true }, 'in'],
    [
      'deployments.apps shop/other',
      { additional: true },
      'namespacedFilterPolicies[0].resourceFilters[1] does not include its name',
    ],
    ['deployments.apps shop/other', { mustInclude: true }, 'in'],
    [
      'pods shop/a',
      { additional: true, labels: { 'velero.io/exclude-from-backup': 'true' } },
      'it has the label velero.io/exclude-from-backup=true',
    ],
    [
      'configmaps shop/a',
      { labels: { ...web, 'velero.io/exclude-from-backup': 'true' } },
      'it has the label velero.io/exclude-from-backup=true',
    ],
    ['configmaps shop/a', { labels: web, spec: { excludedNamespaces: ['shop'] } }, 'namespace shop is not included'],
    [
      'configmaps shop/a',
      { labels: web, spec: { excludedNamespaceScopedResources: ['cm'] } },
      'excludedNamespaceScopedResources has configmaps',
    ],
    [
      'configmaps shop/a',
      { labels: web, spec: { includedNamespaceScopedResources: ['pods'] } },
      'includedNamespaceScopedResources does not have configmaps',
    ],
  ])('%s with %j: %s', (what, asked, answer) => expect(ask(what, { policies: allowList, ...asked })).toBe(answer));

  it('cannot bring back a kind that is left out for all', () => {
    const policies = `${allowList}includeExcludePolicy:\n  excludedNamespaceScopedResources: [secrets]\n`;
    expect(ask('secrets shop/a', { policies, labels: web })).toBe('excludedNamespaceScopedResources has secrets');
    expect(filtersOf({ policies }).warnings).toEqual([
      'namespacedFilterPolicies[0] lists Secret, which has no effect: excludedNamespaceScopedResources has secrets',
    ]);
  });
});

describe('clusterScopedFilterPolicy', () => {
  const refinement = `
clusterScopedFilterPolicy:
  resourceFilters:
  - kinds: [StorageClass]
    names: ["fast-*"]
    excludedNames: [fast-old]
  - kinds: [ClusterRole, pv]
    labelSelector: {matchLabels: {app: web}}
`;
  it.each<[what: string, asked: Asked, answer: string]>([
    ['storageclasses.storage.k8s.io fast-1', {}, 'in'],
    [
      'storageclasses.storage.k8s.io slow',
      {},
      'clusterScopedFilterPolicy.resourceFilters[0] does not include its name',
    ],
    [
      'storageclasses.storage.k8s.io fast-old',
      {},
      'clusterScopedFilterPolicy.resourceFilters[0] does not include its name',
    ],
    ['clusterroles.rbac.authorization.k8s.io a', { labels: web }, 'in'],
    [
      'clusterroles.rbac.authorization.k8s.io a',
      { labels: db },
      'its labels do not match clusterScopedFilterPolicy.resourceFilters[1]',
    ],
    ['persistentvolumes a', { labels: db }, 'its labels do not match clusterScopedFilterPolicy.resourceFilters[1]'],
    // Kinds that are not listed follow the filters of the backup.
    ['nodes a', {}, 'in'],
    [
      'nodes a',
      { spec: { labelSelector: { matchLabels: web } } },
      'its labels do not match the label selector of the backup',
    ],
    [
      'nodes a',
      { spec: { includedNamespaces: ['shop'] } },
      'with included or excluded namespaces, cluster-scoped objects are included only if other objects need them',
    ],
    ['pods shop/a', {}, 'in'],
    ['storageclasses.storage.k8s.io fast-1', { spec: { labelSelector: { matchLabels: web } } }, 'in'],
    [
      'storageclasses.storage.k8s.io fast-1',
      { spec: { includedClusterScopedResources: ['nodes'] } },
      'includedClusterScopedResources does not have storageclasses.storage.k8s.io',
    ],
    [
      'storageclasses.storage.k8s.io fast-1',
      { spec: { includedNamespaces: ['shop'], includedClusterScopedResources: ['sc'] } },
      'in',
    ],
    [
      'storageclasses.storage.k8s.io slow',
      { additional: true },
      'clusterScopedFilterPolicy.resourceFilters[0] does not include its name',
    ],
    ['persistentvolumes a', { additional: true, labels: db }, 'in'],
    [
      'storageclasses.storage.k8s.io fast-1',
      { labels: { 'velero.io/exclude-from-backup': 'true' } },
      'it has the label velero.io/exclude-from-backup=true',
    ],
  ])('%s with %j: %s', (what, asked, answer) => expect(ask(what, { policies: refinement, ...asked })).toBe(answer));
});

describe('entries of a fine-grained policy without effect', () => {
  it.each<[policies: string, spec: BackupSpec, warnings: string[]]>([
    [allowList, {}, []],
    [
      'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [ClusterRole]}]}]',
      {},
      ['namespacedFilterPolicies[0] lists ClusterRole, which has no effect there: it is cluster-scoped'],
    ],
    [
      'clusterScopedFilterPolicy: {resourceFilters: [{kinds: [ConfigMap]}]}',
      {},
      ['clusterScopedFilterPolicy lists ConfigMap, which has no effect there: it is namespaced'],
    ],
    [
      'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [Gadget]}]}]',
      {},
      ['namespacedFilterPolicies[0] lists Gadget, which this cluster does not know'],
    ],
    [
      'clusterScopedFilterPolicy: {resourceFilters: [{kinds: [Node]}]}',
      { excludedClusterScopedResources: ['nodes'] },
      ['clusterScopedFilterPolicy lists Node, which has no effect: excludedClusterScopedResources has nodes'],
    ],
    ['clusterScopedFilterPolicy: {resourceFilters: [{kinds: [Node]}]}', { includedNamespaces: ['shop'] }, []],
    [
      'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [Pod]}]}]',
      { includedNamespaceScopedResources: ['secrets'] },
      [
        'namespacedFilterPolicies[0] lists Pod, which has no effect: includedNamespaceScopedResources does not have pods',
      ],
    ],
  ])('%s with %j: %j', (policies, spec, warnings) => expect(filtersOf({ policies, spec }).warnings).toEqual(warnings));
});
