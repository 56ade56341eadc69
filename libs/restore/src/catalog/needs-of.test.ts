import type { Unstructured } from '@lateen/api-types';
import type { ItemIdentifier } from '@lateen/item-actions';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { needTable } from './need-table.ts';
import { needsOf } from './needs-of.ts';

const text = ({ group, resource, namespace, name }: ItemIdentifier): string =>
  [group === '' ? resource : `${resource}.${group}`, namespace, name].filter((part) => part !== undefined).join('/');

const named = (groupResource: string, parts: object, namespace: string | undefined = 'shop'): string[] => {
  const metadata = { name: 'db', ...(namespace === undefined ? {} : { namespace }) };
  const object = { apiVersion: 'v1', kind: 'Any', metadata, ...parts } as Unstructured;
  return needsOf(groupResource, object).map(text);
};

const from = (source: object) => ({ containers: [{ name: 'c', env: [{ name: 'E', valueFrom: source }] }] });

describe('needs of a pod', () => {
  const rows: [string, object, string[]][] = [
    ['its account', { serviceAccountName: 'runner' }, ['serviceaccounts/shop/runner']],
    ['its priority', { priorityClassName: 'high' }, ['priorityclasses.scheduling.k8s.io/high']],
    ['its runtime', { runtimeClassName: 'kata' }, ['runtimeclasses.node.k8s.io/kata']],
    ['what pulls its images', { imagePullSecrets: [{ name: 'pull' }, {}] }, ['secrets/shop/pull']],
    ['claims', { volumes: [{ persistentVolumeClaim: { claimName: 'data' } }] }, ['persistentvolumeclaims/shop/data']],
    [
      'claims of ephemeral volumes, which have the name of the pod in theirs',
      { volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: {} } } }] },
      ['persistentvolumeclaims/shop/db-scratch'],
    ],
    [
      'no claim of a volume of another form',
      { volumes: [null, 'x', { ephemeral: {} }, { name: 5, ephemeral: {} }] },
      [],
    ],
    ['Secrets as volumes', { volumes: [{ secret: { secretName: 'tls' } }] }, ['secrets/shop/tls']],
    ['ConfigMaps as volumes', { volumes: [{ configMap: { name: 'conf' } }] }, ['configmaps/shop/conf']],
    [
      'what is projected',
      { volumes: [{ projected: { sources: [{ secret: { name: 'a' } }, { configMap: { name: 'b' } }, {}] } }] },
      ['secrets/shop/a', 'configmaps/shop/b'],
    ],
    ['Secrets of drivers', { volumes: [{ csi: { nodePublishSecretRef: { name: 'csi' } } }] }, ['secrets/shop/csi']],
    [
      'claims of devices',
      { resourceClaims: [{ resourceClaimName: 'gpu' }] },
      ['resourceclaims.resource.k8s.io/shop/gpu'],
    ],
    ['variables from Secrets', from({ secretKeyRef: { name: 's', key: 'k' } }), ['secrets/shop/s']],
    ['variables from ConfigMaps', from({ configMapKeyRef: { name: 'm', key: 'k' } }), ['configmaps/shop/m']],
    [
      'all variables of an object, in containers of each kind',
      {
        initContainers: [{ envFrom: [{ secretRef: { name: 'i' } }] }],
        containers: [{ envFrom: [{ configMapRef: { name: 'c' } }] }],
        ephemeralContainers: [{ envFrom: [{ secretRef: { name: 'e' } }] }],
      },
      ['configmaps/shop/c', 'secrets/shop/e', 'secrets/shop/i'],
    ],
    [
      'each object once',
      { imagePullSecrets: [{ name: 's' }], volumes: [{ secret: { secretName: 's' } }] },
      ['secrets/shop/s'],
    ],
    ['nothing by an empty name', { serviceAccountName: '', volumes: [{ secret: { secretName: '' } }] }, []],
  ];
  it.each(rows)('include %s', (_, spec, expected) => {
    expect(named('pods', { spec }).sort()).toEqual([...expected].sort());
  });

  const template = { serviceAccountName: 'runner' };
  it.each([
    'replicationcontrollers',
    'replicasets.apps',
    'deployments.apps',
    'daemonsets.apps',
    'statefulsets.apps',
    'jobs.batch',
  ])('are found in the pod template of %s', (groupResource) => {
    expect(named(groupResource, { spec: { template: { spec: template } } })).toEqual(['serviceaccounts/shop/runner']);
  });

  it('are found in the pod template of a CronJob', () => {
    const spec = { jobTemplate: { spec: { template: { spec: template } } } };
    expect(named('cronjobs.batch', { spec })).toEqual(['serviceaccounts/shop/runner']);
  });
});

describe('needs of other kinds', () => {
  const snapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'snap' };
  const ref = { name: 'csi', namespace: 'storage' };
  const webhooks = [
    { clientConfig: { service: { namespace: 'hooks', name: 'hook' } } },
    { clientConfig: { url: 'x' } },
  ];
  const rows: [groupResource: string, what: string, parts: object, expected: string[]][] = [
    [
      'persistentvolumeclaims',
      'its volume and class',
      { spec: { volumeName: 'pv', storageClassName: 'fast', volumeAttributesClassName: 'gold' } },
      ['persistentvolumes/pv', 'storageclasses.storage.k8s.io/fast', 'volumeattributesclasses.storage.k8s.io/gold'],
    ],
    [
      'persistentvolumeclaims',
      'the snapshot that it is filled from, once',
      { spec: { dataSource: snapshot, dataSourceRef: snapshot } },
      ['volumesnapshots.snapshot.storage.k8s.io/shop/snap'],
    ],
    [
      'persistentvolumeclaims',
      'the claim of another namespace that it is filled from',
      { spec: { dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'other', namespace: 'lab' } } },
      ['persistentvolumeclaims/lab/other'],
    ],
    [
      'persistentvolumeclaims',
      'nothing of kinds that fill volumes in ways of their own',
      { spec: { dataSource: { kind: 'constructor', name: 'x' }, dataSourceRef: { kind: 'Import', name: 'x' } } },
      [],
    ],
    [
      'persistentvolumeclaims',
      'not itself',
      { spec: { dataSource: { kind: 'PersistentVolumeClaim', name: 'db' } } },
      [],
    ],
    [
      'persistentvolumes',
      'its class and what its driver needs',
      { spec: { storageClassName: 'fast', csi: { nodeStageSecretRef: ref, controllerExpandSecretRef: ref } } },
      ['secrets/storage/csi', 'storageclasses.storage.k8s.io/fast'],
    ],
    [
      'volumesnapshots.snapshot.storage.k8s.io',
      'its class and content, not its claim: that needs the snapshot',
      {
        spec: { volumeSnapshotClassName: 'c', source: { persistentVolumeClaimName: 'data' } },
        status: { boundVolumeSnapshotContentName: 'content' },
      },
      ['volumesnapshotclasses.snapshot.storage.k8s.io/c', 'volumesnapshotcontents.snapshot.storage.k8s.io/content'],
    ],
    [
      'volumesnapshotcontents.snapshot.storage.k8s.io',
      'its class',
      { spec: { volumeSnapshotClassName: 'c' } },
      ['volumesnapshotclasses.snapshot.storage.k8s.io/c'],
    ],
    [
      'secrets',
      'the account of a token',
      { metadata: { name: 't', namespace: 'shop', annotations: { 'kubernetes.io/service-account.name': 'runner' } } },
      ['serviceaccounts/shop/runner'],
    ],
    [
      'rolebindings.rbac.authorization.k8s.io',
      'role and accounts',
      {
        roleRef: { kind: 'Role', name: 'reader' },
        subjects: [
          { kind: 'ServiceAccount', name: 'a', namespace: 'lab' },
          { kind: 'User', name: 'jane' },
        ],
      },
      ['roles.rbac.authorization.k8s.io/shop/reader', 'serviceaccounts/lab/a'],
    ],
    [
      'clusterrolebindings.rbac.authorization.k8s.io',
      'a ClusterRole',
      { roleRef: { kind: 'ClusterRole', name: 'admin' } },
      ['clusterroles.rbac.authorization.k8s.io/admin'],
    ],
    ['validatingwebhookconfigurations.admissionregistration.k8s.io', 'Services', { webhooks }, ['services/hooks/hook']],
    ['mutatingwebhookconfigurations.admissionregistration.k8s.io', 'Services', { webhooks }, ['services/hooks/hook']],
    [
      'validatingadmissionpolicybindings.admissionregistration.k8s.io',
      'its policy',
      { spec: { policyName: 'p' } },
      ['validatingadmissionpolicies.admissionregistration.k8s.io/p'],
    ],
    [
      'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
      'its policy',
      { spec: { policyName: 'p' } },
      ['mutatingadmissionpolicies.admissionregistration.k8s.io/p'],
    ],
    [
      'apiservices.apiregistration.k8s.io',
      'its Service',
      { spec: { service: { namespace: 'metrics', name: 'm' } } },
      ['services/metrics/m'],
    ],
    ['configmaps', 'nothing', { spec: { serviceAccountName: 'runner' } }, []],
    ['constructor', 'nothing, whatever a resource is called', {}, []],
  ];
  it.each(rows)('%s: %s', (groupResource, _, parts, expected) => {
    expect(named(groupResource, parts).sort()).toEqual([...expected].sort());
  });

  it('a StatefulSet needs the claims of its ordinals, because it would create them empty', () => {
    const volumeClaimTemplates = [{ metadata: { name: 'data' } }, { metadata: { name: 'wal' } }];
    const claims = (spec: object) => named('statefulsets.apps', { spec: { volumeClaimTemplates, ...spec } });
    expect(claims({ replicas: 2, ordinals: { start: 3 } })).toEqual(
      ['data-db-3', 'data-db-4', 'wal-db-3', 'wal-db-4'].map((name) => `persistentvolumeclaims/shop/${name}`),
    );
    expect(claims({})).toHaveLength(2);
    expect(claims({ replicas: 1e9 })).toHaveLength(2_000);
  });

  it('are a list for any malformed fields', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(needTable)),
        fc.object({ key: fc.constantFrom('spec', 'volumes', 'template', 'containers', 'subjects', 'webhooks', '*') }),
        (groupResource, parts) => {
          const metadata = { name: 'db', namespace: 'shop' };
          const object = { ...parts, apiVersion: 'v1', kind: 'Any', metadata } as Unstructured;
          expect(Array.isArray(needsOf(groupResource, object))).toBe(true);
        },
      ),
    );
  });
});
