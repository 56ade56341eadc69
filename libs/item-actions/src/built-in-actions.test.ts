import { persistentVolumeClaimType, type Unstructured } from '@lateen/api-types';
import { aPersistentVolumeClaim, aPod, FakeClock, fakeCluster, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { builtInActions } from './built-in-actions.ts';
import type { ActionContext } from './contract/action-context.ts';
import type { BackupItemResult } from './contract/backup-item-action.ts';
import type { ItemIdentifier } from './contract/item-identifier.ts';

const neverAborts = new AbortController().signal;

function aContext(...objects: object[]): ActionContext & { kube: ReturnType<typeof fakeCluster> } {
  const clock = new FakeClock();
  return {
    backup: { apiVersion: 'velero.io/v1', kind: 'Backup', metadata: { name: 'nightly', uid: 'b' }, spec: {} },
    kube: fakeCluster({ clock, objects: objects as Unstructured[] }),
    clock,
    random: seededRandom(),
    log: recordingLog(),
    veleroNamespace: 'velero',
    volumes: { shouldSnapshot: async () => ({ snapshot: true }), podsUsing: async () => ['db-0', 'db-1'] },
    noteVolume: () => {},
  };
}

const actions = builtInActions({ csi: false, oldDefinitions: true });
const asItem = (object: object) => object as Unstructured;
const key = (id: ItemIdentifier) => [id.resource, id.group, id.namespace, id.name].filter(Boolean).join('/');

async function run(name: string, item: object, context = aContext()): Promise<BackupItemResult> {
  const action = actions.backup.find((each) => each.name === name);
  const before = JSON.stringify(item);
  const result = await action?.execute(asItem(item), context, neverAborts);
  expect(JSON.stringify(item)).toBe(before);
  if (result === undefined) throw new Error(`there is no action ${name}`);
  return result;
}

const related = async (name: string, item: object, context = aContext()) =>
  (
    (await actions.block.find((each) => each.name === name)?.relatedItems(asItem(item), context, neverAborts)) ?? []
  ).map(key);

const bound = (parts: Parameters<typeof aPersistentVolumeClaim>[0] = {}) =>
  aPersistentVolumeClaim({ volumeName: 'pv-data', ...parts });

it('runs in the order of Velero', () => {
  expect(actions.backup.map(({ name }) => name)).toEqual([
    'velero.io/pv',
    'velero.io/pod',
    'velero.io/service-account',
    'velero.io/crd-remap-version',
  ]);
  expect(builtInActions({ csi: false }).backup.map(({ name }) => name)).not.toContain('velero.io/crd-remap-version');
});

describe('velero.io/pv', () => {
  const source = { kind: 'VolumeSnapshot', name: 'old', apiGroup: 'snapshot.storage.k8s.io' };
  it.each<[string, object, object]>([
    ['drops the source of a bound claim', { dataSource: source, dataSourceRef: source }, {}],
    ['drops the selector of a claim of a class', { selector: { matchLabels: { disk: 'fast' } } }, {}],
    [
      "keeps the user's selector of a claim without a class, but not the one that a restore added",
      {
        storageClassName: '',
        selector: { matchLabels: { disk: 'fast', 'velero.io/dynamic-pv-restore': 'shop.data.x' } },
      },
      { storageClassName: '', selector: { matchLabels: { disk: 'fast' } } },
    ],
    [
      'keeps expressions of a selector',
      { storageClassName: '', selector: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] } },
      { storageClassName: '', selector: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] } },
    ],
  ])('%s', async (_title, spec, expected) => {
    const { item, additionalItems } = await run('velero.io/pv', bound({ spec }));
    expect(item.spec).toEqual({ ...bound().spec, ...expected });
    expect(additionalItems).toEqual([{ group: '', resource: 'persistentvolumes', name: 'pv-data' }]);
  });

  it('removes labels of earlier backups and restores, and keeps labels of users', async () => {
    const stale = {
      'velero.io/restore-name': 'r',
      'velero.io/backup-name': 'b',
      'velero.io/volume-snapshot-name': 's',
    };
    const users = { app: 'db', 'velero.io/volume-group': 'db', 'velero.io/exclude-from-backup': 'false' };
    const { item } = await run('velero.io/pv', bound({ labels: { ...stale, ...users } }));
    expect(item.metadata.labels).toEqual(users);
  });

  it.each([
    ['Pending', aPersistentVolumeClaim({ spec: { dataSource: source } })],
    ['Lost', bound({ status: { phase: 'Lost' } })],
  ])('leaves a %s claim unchanged', async (_phase, claim) => {
    expect(await run('velero.io/pv', claim)).toEqual({ item: claim });
  });
});

describe('velero.io/pod', () => {
  const volumes = [
    { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'again', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'logs', persistentVolumeClaim: { claimName: 'logs' } },
    { name: 'tmp', emptyDir: {} },
  ];
  it('adds the claims of its volumes, each once, and the priority class', async () => {
    const pod = aPod({ namespace: 'app', spec: { volumes, priorityClassName: 'high' } });
    const expected = [
      'persistentvolumeclaims/app/data',
      'persistentvolumeclaims/app/logs',
      'priorityclasses/scheduling.k8s.io/high',
    ];
    expect((await run('velero.io/pod', pod)).additionalItems?.map(key)).toEqual(expected);
    expect(await related('velero.io/pod', pod)).toEqual(expected);
  });

  it('adds nothing to a pod without references', async () => {
    expect((await run('velero.io/pod', aPod({ namespace: 'app' }))).additionalItems).toEqual([]);
  });
});

describe('velero.io/service-account', () => {
  const binding = (name: string, role: string, subjects: object[]) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects,
  });
  const account = (namespace: string, name: string) => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { namespace, name },
  });
  const bindings = [
    binding('a', 'view', [{ kind: 'ServiceAccount', namespace: 'app', name: 'runner' }]),
    binding('b', 'view', [{ kind: 'User', name: 'system:serviceaccount:app:runner' }]),
    binding('c', 'edit', [
      { kind: 'ServiceAccount', namespace: 'other', name: 'runner' },
      { kind: 'Group', name: 'system:serviceaccounts' },
    ]),
    binding('d', 'view', []),
  ];

  it('adds the bindings that name the account, and their roles once', async () => {
    const context = aContext(...bindings);
    const expected = [
      'clusterrolebindings/rbac.authorization.k8s.io/a',
      'clusterrolebindings/rbac.authorization.k8s.io/b',
      'clusterroles/rbac.authorization.k8s.io/view',
    ];
    const { additionalItems } = await run('velero.io/service-account', account('app', 'runner'), context);
    expect(additionalItems?.map(key)).toEqual(expected);
    expect(await related('velero.io/service-account', account('app', 'runner'), context)).toEqual(expected);
    expect(await related('velero.io/service-account', account('app', 'other'), context)).toEqual([]);
  });

  it('reads the bindings once for all accounts of a backup, and again after a failure', async () => {
    const context = aContext(...bindings);
    context.kube.failOnce('list', ({ type }) => type.kind === 'ClusterRoleBinding', 'KUBE_UNAVAILABLE');
    await expect(run('velero.io/service-account', account('app', 'runner'), context)).rejects.toThrow('injected');
    for (const name of ['runner', 'x', 'y']) await run('velero.io/service-account', account('app', name), context);
    expect(context.kube.calls.filter(({ verb }) => verb === 'list')).toHaveLength(2);
  });
});

describe('velero.io/crd-remap-version', () => {
  const definition = (spec: object, conditions: object[] = []) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'mice.example.org' },
    spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'object' } } }], ...spec },
    status: { conditions },
  });
  const old = { ...definition({}), apiVersion: 'apiextensions.k8s.io/v1beta1' };
  it.each<[string, object, string]>([
    ['a definition with a structural schema', definition({}), 'v1'],
    ['a definition that keeps unknown fields', definition({ preserveUnknownFields: true }), 'v1beta1'],
    ['a definition with one version without a schema', definition({ versions: [{ name: 'v1' }] }), 'v1beta1'],
    [
      'a definition with two versions, the first without a schema',
      definition({ versions: [{ name: 'v1' }, { name: 'v2' }] }),
      'v1',
    ],
    [
      'a definition with a schema that is not structural',
      definition({}, [{ type: 'NonStructuralSchema', status: 'True' }]),
      'v1beta1',
    ],
    [
      'a definition whose schema has become structural',
      definition({}, [{ type: 'NonStructuralSchema', status: 'False' }]),
      'v1',
    ],
  ])('stores %s as %3$s', async (_title, item, version) => {
    const context = aContext();
    context.kube.intercept(async (call, next) => (call.type.version === 'v1beta1' ? old : await next()));
    expect((await run('velero.io/crd-remap-version', item, context)).item.apiVersion).toBe(
      `apiextensions.k8s.io/${version}`,
    );
  });
});

describe('velero.io/pvc', () => {
  it('groups a claim with its volume and the pods that mount it', async () => {
    expect(await related('velero.io/pvc', bound())).toEqual([
      'persistentvolumes/pv-data',
      'pods/app/db-0',
      'pods/app/db-1',
    ]);
  });

  it('groups the claims of one volume group, in their namespace only', async () => {
    const labels = { 'velero.io/volume-group': 'db' };
    const context = aContext(
      bound({ labels }),
      bound({ name: 'logs', labels }),
      bound({ name: 'web' }),
      bound({ name: 'far', namespace: 'other', labels }),
    );
    expect(await related('velero.io/pvc', bound({ labels }), context)).toContain('persistentvolumeclaims/app/logs');
    expect(await related('velero.io/pvc', bound({ labels }), context)).toHaveLength(4);
    expect(context.kube.calls.every(({ type }) => type === persistentVolumeClaimType)).toBe(true);
  });

  it('uses the label key of the backup for volume groups', async () => {
    const context = aContext(bound({ labels: { set: 'db' } }), bound({ name: 'logs', labels: { set: 'db' } }));
    context.backup.spec.volumeGroupSnapshotLabelKey = 'set';
    expect(await related('velero.io/pvc', bound({ labels: { set: 'db' } }), context)).toContain(
      'persistentvolumeclaims/app/logs',
    );
  });

  it('adds no volume for a claim that is not bound', async () => {
    expect(await related('velero.io/pvc', aPersistentVolumeClaim())).toEqual(['pods/app/db-0', 'pods/app/db-1']);
  });
});
