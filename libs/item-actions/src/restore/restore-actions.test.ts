import { labels, type Restore, type Unstructured } from '@lateen/api-types';
import { aConfigMap, aPod, aStorageClass, FakeClock, fakeCluster, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { builtInActions } from '../built-in-actions.ts';
import type { ItemIdentifier } from '../contract/item-identifier.ts';
import type { RestoreActionContext, RestoreItemResult } from '../contract/restore-item-action.ts';
import { selects } from '../select/selects.ts';

const neverAborts = new AbortController().signal;

interface World {
  spec?: Partial<Restore['spec']>;
  objects?: readonly object[];
  archived?: readonly string[];
  dryRun?: boolean;
}

function aContext({ spec = {}, objects = [], archived = [], dryRun = false }: World = {}) {
  const clock = new FakeClock();
  const log = recordingLog();
  const kube = fakeCluster({ clock, objects: objects as Unstructured[] });
  const context: RestoreActionContext = {
    restore: {
      apiVersion: 'velero.io/v1',
      kind: 'Restore',
      metadata: { name: 'back', uid: 'r' },
      spec: { backupName: 'nightly', ...spec },
    },
    backup: { apiVersion: 'velero.io/v1', kind: 'Backup', metadata: { name: 'nightly', uid: 'b' }, spec: {} },
    kube,
    clock,
    random: seededRandom(),
    log,
    veleroNamespace: 'velero',
    dryRun,
    mappedNamespace: (namespace) => spec.namespaceMapping?.[namespace] ?? namespace,
    archived: async ({ name }) =>
      archived.includes(name) ? { apiVersion: 'v1', kind: 'Any', metadata: { name } } : undefined,
    podVolumeBackups: async () => [],
    noteVolume: () => {},
  };
  return { context, log, kube };
}

/** The actions of an installation without CSI. */
const actions = builtInActions({ csi: false }).restore;

/** The result of an action for an item, which it must not change. */
async function act(
  name: string,
  item: object,
  { world = {}, stored = item }: { world?: World; stored?: object } = {},
): Promise<RestoreItemResult> {
  const action = actions.find((each) => each.name === name);
  if (action === undefined) throw new Error(`there is no action ${name}`);
  const given = item as Unstructured;
  const before = JSON.stringify([item, stored]);
  const input = { item: given, itemFromBackup: stored as Unstructured };
  const result = await action.execute(input, aContext(world).context, neverAborts);
  if (JSON.stringify([item, stored]) !== before) throw new Error(`${name} has changed what it was given`);
  return result;
}

const updated = async (...given: Parameters<typeof act>) => (await act(...given)).updatedItem;
const key = (id: ItemIdentifier) => [id.resource, id.group, id.namespace, id.name].filter(Boolean).join('/');
const named = async (...given: Parameters<typeof act>) => (await act(...given)).additionalItems?.map(key);

it('runs in the order of Velero', () => {
  expect(actions.map(({ name }) => name.replace('velero.io/', ''))).toEqual([
    'job',
    'pod',
    'pod-volume-restore',
    'init-restore-hook',
    'service',
    'service-account',
    'secret',
    'add-pvc-from-pod',
    'pvc',
    'change-storage-class',
    'change-image-name',
    'role-bindings',
    'cluster-role-bindings',
    'crd-preserve-fields',
    'apiservice',
    'admission-webhook-configuration',
    'dataupload',
  ]);
});

describe('velero.io/job', () => {
  const job = (parts: object) => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: parts });
  const uids = { 'controller-uid': 'u', 'batch.kubernetes.io/controller-uid': 'u' };
  it.each<[string, object, object]>([
    [
      'removes the UID from selector and template',
      { selector: { matchLabels: { ...uids, app: 'a' } }, template: { metadata: { labels: { ...uids, app: 'a' } } } },
      { selector: { matchLabels: { app: 'a' } }, template: { metadata: { labels: { app: 'a' } } } },
    ],
    ['allows an empty selector', { selector: { matchLabels: uids } }, { selector: { matchLabels: {} } }],
    [
      'keeps the rest of both',
      {
        selector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
        template: { spec: { a: 1 } },
        parallelism: 2,
      },
      {
        selector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
        template: { spec: { a: 1 } },
        parallelism: 2,
      },
    ],
    ['leaves a job without them unchanged', { completions: 1 }, { completions: 1 }],
  ])('%s', async (_title, before, after) => {
    expect((await updated('velero.io/job', job(before))).spec).toEqual(after);
  });
});

describe('velero.io/pod', () => {
  const containers = [{ name: 'main', volumeMounts: [{ name: 'data', mountPath: '/d' }] }];
  it.each<[string, object, object]>([
    ['removes the node', { containers, nodeName: 'node-1' }, { containers }],
    ['removes the numeric priority', { containers, priority: 7 }, { containers }],
    ['removes ephemeral containers', { containers, ephemeralContainers: [{ name: 'debug' }] }, { containers }],
    [
      'keeps selectors, tolerations, class and account',
      {
        containers,
        nodeSelector: { a: 'b' },
        tolerations: [],
        priorityClassName: 'high',
        serviceAccountName: 'runner',
      },
      {
        containers,
        nodeSelector: { a: 'b' },
        tolerations: [],
        priorityClassName: 'high',
        serviceAccountName: 'runner',
      },
    ],
    [
      'removes the token volume of its account, and its mounts',
      {
        serviceAccountName: 'runner',
        volumes: [{ name: 'runner-token-x7k2p', secret: {} }, { name: 'data' }],
        containers: [
          {
            name: 'm',
            volumeMounts: [{ name: 'runner-token-x7k2p', mountPath: '/t' }, ...(containers[0]?.volumeMounts ?? [])],
          },
        ],
        initContainers: [{ name: 'i', volumeMounts: [{ name: 'runner-token-x7k2p', mountPath: '/t' }] }, { name: 'j' }],
      },
      {
        serviceAccountName: 'runner',
        volumes: [{ name: 'data' }],
        containers: [{ name: 'm', volumeMounts: containers[0]?.volumeMounts }],
        initContainers: [{ name: 'i', volumeMounts: [] }, { name: 'j' }],
      },
    ],
    [
      'keeps the volume of the token of another account',
      { serviceAccountName: 'runner', volumes: [{ name: 'other-token-x7k2p' }], containers },
      { serviceAccountName: 'runner', volumes: [{ name: 'other-token-x7k2p' }], containers },
    ],
  ])('%s', async (_title, before, after) => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'shop', name: 'db' }, spec: before };
    expect((await updated('velero.io/pod', pod)).spec).toEqual(after);
  });

  it('adds its priority class', async () => {
    const pod = aPod({ spec: { priorityClassName: 'high' } });
    expect(await named('velero.io/pod', pod)).toEqual(['priorityclasses/scheduling.k8s.io/high']);
    expect(await named('velero.io/pod', aPod())).toEqual([]);
  });
});

describe('velero.io/init-restore-hook', () => {
  const init = [{ name: 'seed', image: 'i', command: ['c'] }];
  const hooks = {
    resources: [{ name: 'x', includedNamespaces: ['shop-2'], postHooks: [{ init: { initContainers: init } }] }],
  };
  const world = { spec: { hooks, namespaceMapping: { shop: 'shop-2' } } as unknown as World['spec'] & object };
  it('adds init containers to pods of the target namespace', async () => {
    const pod = aPod({ namespace: 'shop', spec: { initContainers: [{ name: 'restore-wait' }, { name: 'own' }] } });
    const { spec } = (await updated('velero.io/init-restore-hook', pod, { world })) as unknown as typeof pod;
    expect(spec.initContainers?.map(({ name }) => name)).toEqual(['restore-wait', 'seed', 'own']);
  });

  it('leaves other pods unchanged', async () => {
    const pod = aPod({ namespace: 'bank' });
    expect(await updated('velero.io/init-restore-hook', pod, { world })).toBe(pod);
  });
});

it('velero.io/add-pvc-from-pod adds the claims of a pod, each once', async () => {
  const volumes = [
    { name: 'a', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'b', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'c', persistentVolumeClaim: { claimName: 'logs' } },
    { name: 'd', emptyDir: {} },
  ];
  const pod = aPod({ namespace: 'shop', spec: { volumes } });
  expect(await named('velero.io/add-pvc-from-pod', pod)).toEqual([
    'persistentvolumeclaims/shop/data',
    'persistentvolumeclaims/shop/logs',
  ]);
  expect(await named('velero.io/add-pvc-from-pod', aPod())).toEqual([]);
});

describe('velero.io/service-account', () => {
  const account = (secrets: unknown) => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { namespace: 'shop', name: 'runner' },
    ...(secrets === undefined ? {} : { secrets }),
  });
  it.each<[string, unknown, unknown]>([
    ['removes its token', [{ name: 'runner-token-x7k2p' }, { name: 'registry' }], [{ name: 'registry' }]],
    [
      'removes only the first token',
      [{ name: 'runner-token-a' }, { name: 'runner-token-b' }],
      [{ name: 'runner-token-b' }],
    ],
    ['keeps the token of another account', [{ name: 'other-token-x' }], [{ name: 'other-token-x' }]],
    ['keeps references without a name', [{}], [{}]],
    ['leaves an account without secrets unchanged', undefined, undefined],
    ['leaves an account with null unchanged', null, null],
  ])('%s', async (_title, before, after) => {
    expect((await updated('velero.io/service-account', account(before))).secrets).toEqual(after);
  });
});

describe('velero.io/secret', () => {
  const data = { token: 'dA==', 'ca.crt': 'Yw==', namespace: 'bg==' };
  const of = (name: string, more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/service-account-token',
    metadata: {
      namespace: 'shop',
      name,
      annotations: { 'kubernetes.io/service-account.name': 'runner', 'kubernetes.io/service-account.uid': 'u', a: 'b' },
    },
    data,
    ...more,
  });
  it.each<[string, object, boolean]>([
    ['a token that the cluster created', of('runner-token-x7k2p'), true],
    ['a token that a user named like it', of('runner-token-of-mine'), false],
    ['a token of another name', of('ci'), false],
    ['the token name of another account', of('other-token-x7k2p'), false],
    ['another type', of('runner-token-x7k2p', { type: 'Opaque' }), false],
  ])('skips %s: %3$s', async (_title, secret, isSkipped) => {
    expect((await act('velero.io/secret', secret)).skipRestore ?? false).toBe(isSkipped);
  });

  it("requests a new token for a user's token secret", async () => {
    const { metadata, data: kept } = await updated('velero.io/secret', of('ci'));
    expect(metadata.annotations).toEqual({ 'kubernetes.io/service-account.name': 'runner', a: 'b' });
    expect(kept).toEqual({ namespace: 'bg==' });
  });

  it('leaves other secrets unchanged', async () => {
    const secret = of('db', { type: 'Opaque' });
    expect(await updated('velero.io/secret', secret)).toBe(secret);
  });
});

describe('velero.io/role-bindings and velero.io/cluster-role-bindings', () => {
  const mapping = { namespaceMapping: { shop: 'shop-2' } };
  const account = { kind: 'ServiceAccount', name: 'runner', namespace: 'shop' };
  const group = { kind: 'Group', name: 'admins', apiGroup: 'rbac.authorization.k8s.io' };
  it.each<[string, unknown, unknown]>([
    ['subjects of a mapped namespace', [account], [{ ...account, namespace: 'shop-2' }]],
    ['subjects of another namespace', [{ ...account, namespace: 'bank' }], [{ ...account, namespace: 'bank' }]],
    ['subjects without a namespace', [group], [group]],
    ['no subjects', undefined, undefined],
    ['null', null, null],
  ])('%s', async (_title, before, after) => {
    for (const action of ['velero.io/role-bindings', 'velero.io/cluster-role-bindings']) {
      const item = {
        apiVersion: 'v1',
        kind: 'X',
        metadata: { name: 'b' },
        ...(before === undefined ? {} : { subjects: before }),
      };
      expect((await updated(action, item, { world: { spec: mapping } })).subjects).toEqual(after);
    }
  });
});

describe('velero.io/crd-preserve-fields', () => {
  const crd = (version: string, spec: object) => ({
    apiVersion: `apiextensions.k8s.io/${version}`,
    kind: 'CustomResourceDefinition',
    metadata: { name: 'mice.example.org' },
    spec,
  });
  const keeps = { 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: {} } };
  it.each<[string, object, object]>([
    [
      'a definition that keeps unknown fields gets this field in each schema',
      crd('v1', { preserveUnknownFields: true, versions: [{ name: 'v1', schema }, { name: 'v2' }] }),
      {
        preserveUnknownFields: false,
        versions: [
          { name: 'v1', schema: { openAPIV3Schema: { ...schema.openAPIV3Schema, ...keeps } } },
          { name: 'v2', schema: { openAPIV3Schema: { type: 'object', ...keeps } } },
        ],
      },
    ],
    [
      'a definition that does not is unchanged',
      crd('v1', { versions: [{ name: 'v1', schema }] }),
      { versions: [{ name: 'v1', schema }] },
    ],
    [
      'a definition of v1beta1 is unchanged',
      crd('v1beta1', { preserveUnknownFields: true, versions: [{ name: 'v1' }] }),
      { preserveUnknownFields: true, versions: [{ name: 'v1' }] },
    ],
  ])('%s', async (_title, item, spec) => {
    expect((await updated('velero.io/crd-preserve-fields', item)).spec).toEqual(spec);
  });
});

it('velero.io/apiservice skips those that the aggregator manages, and runs for no others', async () => {
  const action = actions.find(({ name }) => name === 'velero.io/apiservice');
  const groupResource = 'apiservices.apiregistration.k8s.io';
  const seen = (labelled: Record<string, string>) =>
    selects(action?.appliesTo ?? {}, { groupResource, labels: labelled });
  expect(seen({ 'kube-aggregator.kubernetes.io/automanaged': 'onstart' })).toBe(true);
  expect(seen({ 'kube-aggregator.kubernetes.io/automanaged': 'true' })).toBe(true);
  expect(seen({})).toBe(false);
  const item = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: 'v1.apps' } };
  expect((await act('velero.io/apiservice', item)).skipRestore).toBe(true);
});

describe('velero.io/admission-webhook-configuration', () => {
  const of = (version: string, sideEffects: unknown) => ({
    apiVersion: `admissionregistration.k8s.io/${version}`,
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'w' },
    webhooks: [{ name: 'x', ...(sideEffects === undefined ? {} : { sideEffects }) }],
  });
  it.each([
    ['v1', 'None', 'None'],
    ['v1', 'NoneOnDryRun', 'NoneOnDryRun'],
    ['v1', 'Some', 'None'],
    ['v1', 'Unknown', 'None'],
    ['v1', undefined, 'None'],
    ['v1beta1', 'Some', 'Some'],
    ['v1beta1', undefined, undefined],
  ])('%s with side effects %s: %s', async (version, before, after) => {
    const item = await updated('velero.io/admission-webhook-configuration', of(version, before));
    expect(item.webhooks).toEqual(of(version, after).webhooks);
  });

  it('leaves a configuration without webhooks unchanged', async () => {
    const item = { ...of('v1', 'None'), webhooks: undefined };
    expect(await updated('velero.io/admission-webhook-configuration', item)).toBe(item);
  });
});

const configuring = (action: string, data: Record<string, string>, name = 'config') =>
  aConfigMap({ namespace: 'velero', name, labels: { [labels.pluginConfig]: '', [action]: 'RestoreItemAction' }, data });

describe('velero.io/change-storage-class', () => {
  const action = 'velero.io/change-storage-class';
  const objects = [configuring(action, { old: 'new', gone: 'nowhere' }), aStorageClass({ name: 'new' })];
  const claim = (spec: object) => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c' }, spec });
  const set = (templates: object[]) => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 's' },
    spec: { volumeClaimTemplates: templates },
  });
  it.each<[string, object, object]>([
    ['a claim', claim({ storageClassName: 'old', a: 1 }), { storageClassName: 'new', a: 1 }],
    ['a claim of another class', claim({ storageClassName: 'other' }), { storageClassName: 'other' }],
    ['a claim without a class', claim({}), {}],
    [
      'a claim with a class named like an Object method',
      claim({ storageClassName: 'toString' }),
      { storageClassName: 'toString' },
    ],
    [
      'the templates of a StatefulSet',
      set([{ spec: { storageClassName: 'old' } }, { spec: {} }, {}]),
      { volumeClaimTemplates: [{ spec: { storageClassName: 'new' } }, { spec: {} }, {}] },
    ],
  ])('%s', async (_title, item, spec) => {
    expect((await updated(action, item, { world: { objects } })).spec).toEqual(spec);
  });

  it('changes nothing without its ConfigMap', async () => {
    const item = claim({ storageClassName: 'old' });
    expect(await updated(action, item)).toBe(item);
  });

  it('fails for a missing class, except in a dry run when the backup contains the class', async () => {
    const item = claim({ storageClassName: 'gone' });
    await expect(act(action, item, { world: { objects } })).rejects.toThrow('there is no StorageClass nowhere');
    await expect(act(action, item, { world: { objects, dryRun: true } })).rejects.toThrow('no StorageClass nowhere');
    await expect(act(action, item, { world: { objects, archived: ['nowhere'] } })).rejects.toThrow('no StorageClass');
    const plan = await updated(action, item, { world: { objects, dryRun: true, archived: ['nowhere'] } });
    expect(plan.spec).toEqual({ storageClassName: 'nowhere' });
  });

  it('fails when two ConfigMaps configure it, and names both', async () => {
    const two = [configuring(action, {}, 'one'), configuring(action, {}, 'two')];
    await expect(act(action, claim({}), { world: { objects: two } })).rejects.toMatchObject({
      code: 'ACTION_CONFIG_AMBIGUOUS',
      nextStep: expect.stringContaining('one, two'),
    });
  });

  it('reads its ConfigMap once per restore', async () => {
    const { context, kube } = aContext({ objects });
    const one = actions.find(({ name }) => name === action);
    const item = claim({}) as Unstructured;
    for (let i = 0; i < 3; i++) await one?.execute({ item, itemFromBackup: item }, context, neverAborts);
    expect(kube.calls.filter(({ verb }) => verb === 'list')).toHaveLength(1);
  });
});

describe('velero.io/change-image-name', () => {
  const action = 'velero.io/change-image-name';
  const rules = (data: Record<string, string>) => ({ world: { objects: [configuring(action, data)] } });
  const containers = [{ name: 'a', image: 'old.example/db:1' }, { name: 'b' }];
  const initContainers = [{ name: 'c', image: 'other.example/x' }];
  const changed = [{ name: 'a', image: 'new.example/db:1' }, { name: 'b' }];
  const kinds: [string, (spec: object) => object][] = [
    ['Pod', (spec) => spec],
    ['Deployment', (spec) => ({ template: { spec } })],
    ['StatefulSet', (spec) => ({ replicas: 2, template: { spec } })],
    ['DaemonSet', (spec) => ({ template: { metadata: {}, spec } })],
    ['Job', (spec) => ({ template: { spec } })],
    ['CronJob', (spec) => ({ schedule: '@daily', jobTemplate: { spec: { template: { spec } } } })],
  ];
  it.each(kinds)('changes the images of a %s', async (kind, place) => {
    const item = { apiVersion: 'v1', kind, metadata: { name: 'x' }, spec: place({ containers, initContainers, a: 1 }) };
    const after = await updated(action, item, rules({ one: 'old.example,new.example' }));
    expect(after).toEqual({ ...item, spec: place({ containers: changed, initContainers, a: 1 }) });
  });

  const imageBy = async (data: Record<string, string>, image: string) => {
    const item = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'x' },
      spec: { containers: [{ name: 'a', image }] },
    };
    const { spec } = (await updated(action, item, rules(data))) as unknown as {
      spec: { containers: { image: string }[] };
    };
    return spec.containers[0]?.image;
  };
  it.each<[string, Record<string, string>, string, string]>([
    ['no rule', {}, 'a/b', 'a/b'],
    ['a rule for a part of the name', { k: 'db,postgres' }, 'a/db:1', 'a/postgres:1'],
    ['spaces around its parts', { k: ' a/ , b/ ' }, 'a/x', 'b/x'],
    ['a rule that matches several times', { k: 'a,b' }, 'a/a', 'b/b'],
    ['the first rule by its key', { z: 'a,c', y: 'a,b' }, 'a/x', 'b/x'],
    ['one rule for one image', { y: 'a/,b/', z: 'b/,c/' }, 'a/x', 'b/x'],
    ['an empty replacement', { k: 'mirror/,' }, 'mirror/x', 'x'],
    ['special characters of regular expressions', { k: 'a,$&' }, 'a/x', '$&/x'],
    ['a rule without a comma', { k: 'a' }, 'a/x', 'a/x'],
    ['a rule with three parts', { k: 'a,b,c' }, 'a/x', 'a/x'],
    ['a rule without a search text', { k: ',b' }, 'a/x', 'a/x'],
  ])('%s', async (_title, data, before, after) => {
    expect(await imageBy(data, before)).toBe(after);
  });
});
