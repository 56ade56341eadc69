import type { Unstructured } from '@lateen/api-types';
import { kubeErrorFromStatus } from '@lateen/kube';
import { FakeClock, type FakeCluster, fakeCluster, letTimePass, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type ItemCase, restoreInto, restoreMadeAt } from '../../testing/item-world.ts';

async function restoring(given: ItemCase<FakeCluster>) {
  const clock = new FakeClock('2030-01-01T00:01:00Z');
  const ports = {
    clock,
    random: seededRandom(),
    cluster: fakeCluster({ clock }),
    log: recordingLog(),
    letTimePass: <T>(work: Promise<T>) => letTimePass(work, clock),
  };
  const end = await restoreInto(ports, given);
  return { ...end, cluster: ports.cluster };
}

const configMap = (parts: { metadata?: object; data?: object } = {}): Unstructured => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name: 'settings', ...parts.metadata },
  data: { color: 'red', ...parts.data },
});

const restoreLabels = { 'velero.io/backup-name': 'daily', 'velero.io/restore-name': 'back' };

describe('an existing object', () => {
  it('is left alone when it equals the object of the backup', async () => {
    const { outcome, lines, cluster } = await restoring({
      object: configMap({ metadata: { uid: 'u-1' } }),
      there: [configMap({ metadata: { uid: 'u-2' } })],
    });
    expect(outcome.act).toBe('unchanged');
    expect(lines).toEqual([]);
    expect(cluster.calls.map(({ verb }) => verb)).toEqual(['create', 'get']);
  });

  it.each([
    ['', 'ConfigMap:settings'],
    ['none', 'ConfigMap "settings"'],
  ])('is left alone with policy %j when it differs, with a warning', async (existingResourcePolicy, named) => {
    const { outcome, now, lines } = await restoring({
      object: configMap(),
      there: [configMap({ data: { color: 'blue' } })],
      spec: { existingResourcePolicy },
    });
    expect(outcome).toMatchObject({ act: 'conflict', reason: 'it differs in data.color' });
    expect(now).toMatchObject({ data: { color: 'blue' } });
    expect(lines).toEqual([
      `warn: could not restore, ${named} already exists. Warning: the in-cluster version is different than the backed-up version`,
    ]);
  });

  it.each([
    ['changed with policy update', configMap({ data: { color: 'blue' } }), 'update'],
    ['labelled', configMap(), 'unchanged'],
  ])('is %s even when the API server is unavailable for a moment', async (_, there, act) => {
    const { outcome, now, lines } = await restoring({
      object: configMap(),
      there: [there],
      spec: { existingResourcePolicy: 'update' },
      cluster: (cluster) => cluster.failOnce('patch', () => true, 'KUBE_UNAVAILABLE'),
    });
    expect([outcome.act, lines]).toEqual([act, []]);
    expect(now).toMatchObject({ data: { color: 'red' }, metadata: { labels: restoreLabels } });
  });

  it('is changed with policy update, and gets the labels', async () => {
    const { outcome, now, lines } = await restoring({
      object: configMap(),
      there: [configMap({ data: { color: 'blue', size: 'xl' } })],
      spec: { existingResourcePolicy: 'update' },
    });
    expect(outcome).toMatchObject({ act: 'update', reason: 'it differs in data.color, data.size' });
    expect(now).toMatchObject({ data: { color: 'red' }, metadata: { labels: restoreLabels } });
    expect(now?.data).toEqual({ color: 'red' });
    expect(lines).toEqual([]);
  });
});

describe('a workload that this restore has scaled down', () => {
  const workload = (kind: string, replicas: number, annotations: Record<string, string>): Unstructured => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { namespace: 'shop', name: 'db', annotations },
    spec: { replicas, template: {} },
  });
  const sized = (desired: string, max: string) => ({
    'deployment.kubernetes.io/desired-replicas': desired,
    'deployment.kubernetes.io/max-replicas': max,
  });
  const note = (text: string) => ({ 'lateen.dev/scaled-down': text });

  it.each<[title: string, stored: Unstructured, there: Unstructured, reason: string | undefined]>([
    [
      'is unchanged when it has the replicas of the backup',
      workload('Deployment', 3, {}),
      workload('Deployment', 0, note('restore-1/3')),
      undefined,
    ],
    [
      'is unchanged with the annotation and sizes on its ReplicaSet',
      workload('ReplicaSet', 3, sized('3', '4')),
      workload('ReplicaSet', 0, { ...sized('0', '1'), ...note('restore-1/3') }),
      undefined,
    ],
    [
      'is a conflict when it had more replicas than in the backup',
      workload('Deployment', 3, {}),
      workload('Deployment', 0, note('restore-1/5')),
      'it differs in spec.replicas',
    ],
    [
      'is a conflict when another restore scaled it down',
      workload('Deployment', 3, {}),
      workload('Deployment', 0, note('restore-2/3')),
      'it differs in metadata.annotations.lateen.dev/scaled-down, spec.replicas',
    ],
  ])('%s', async (_title, object, there, reason) => {
    const { outcome, now } = await restoring({ object, there: [there] });
    expect([outcome.act, outcome.reason]).toEqual([reason === undefined ? 'unchanged' : 'conflict', reason]);
    expect(now).toMatchObject({ spec: { replicas: 0 } });
  });
});

describe('an object that this restore created before its controller was restarted', () => {
  const earlier = (metadata: object = {}) =>
    configMap({
      data: { color: 'changed since' },
      metadata: { labels: restoreLabels, creationTimestamp: restoreMadeAt, ...metadata },
    });

  it.each<[title: string, there: Unstructured, act: string]>([
    ['counts as created', earlier(), 'create'],
    [
      'counts as existing when it is older than the Restore',
      earlier({ creationTimestamp: '2029-12-31T23:59:59Z' }),
      'conflict',
    ],
    [
      'counts as existing when another restore created it',
      earlier({ labels: { ...restoreLabels, 'velero.io/restore-name': 'x' } }),
      'conflict',
    ],
    [
      'counts as existing when it comes from another backup',
      earlier({ labels: { ...restoreLabels, 'velero.io/backup-name': 'x' } }),
      'conflict',
    ],
    ['counts as existing without labels', earlier({ labels: {} }), 'conflict'],
  ])('%s', async (_title, there, act) => {
    const { outcome, lines, now } = await restoring({ object: configMap(), there: [there] });
    expect([outcome.act, lines.length, now?.data]).toEqual([act, act === 'create' ? 0 : 1, { color: 'changed since' }]);
  });
});

describe('an existing object that counts as equal in spite of', () => {
  it.each<[title: string, backup: object, there: object]>([
    ['another uid and resourceVersion', { uid: 'a', resourceVersion: '1' }, { uid: 'b' }],
    [
      'other owners',
      { ownerReferences: [] },
      { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }] },
    ],
    ['other managed fields', { managedFields: [{ manager: 'a' }] }, { managedFields: [{ manager: 'b' }] }],
    [
      'labels of an earlier restore',
      {},
      { labels: { 'velero.io/restore-name': 'old', 'velero.io/backup-name': 'old' } },
    ],
    ['labels of an earlier restore in the backup', { labels: { 'velero.io/restore-name': 'old' } }, {}],
    ['empty labels', { labels: {} }, {}],
  ])('%s', async (_title, backup, there) => {
    const { outcome, lines } = await restoring({
      object: configMap({ metadata: backup }),
      there: [configMap({ metadata: there })],
    });
    expect([outcome.act, lines]).toEqual(['unchanged', []]);
  });

  it('gets only the labels with policy update', async () => {
    const { now, outcome, cluster } = await restoring({
      object: configMap(),
      there: [configMap()],
      spec: { existingResourcePolicy: 'update' },
    });
    expect([outcome.act, now?.metadata.labels]).toEqual(['unchanged', restoreLabels]);
    expect(cluster.calls.map(({ verb }) => verb)).toEqual(['create', 'get', 'patch']);
  });

  it('is not written when it has the labels', async () => {
    const old = { labels: restoreLabels, creationTimestamp: '2029-01-01T00:00:00Z' };
    const { outcome, cluster } = await restoring({
      object: configMap(),
      there: [configMap({ metadata: old })],
      spec: { existingResourcePolicy: 'update' },
    });
    expect([outcome.act, cluster.calls.map(({ verb }) => verb)]).toEqual(['unchanged', ['create', 'get']]);
  });
});

describe('an existing object that differs', () => {
  it.each<[title: string, backup: object, there: object, reason: string]>([
    ['in a value', {}, { data: { color: 'blue' } }, 'it differs in data.color'],
    ['in a label', { metadata: { labels: { a: '1' } } }, {}, 'it differs in metadata.labels.a'],
    ['in an annotation', {}, { metadata: { annotations: { a: '1' } } }, 'it differs in metadata.annotations'],
    ['in a finalizer', { metadata: { finalizers: ['a/b'] } }, {}, 'it differs in metadata.finalizers'],
    [
      'in many fields',
      { data: { a: '1', b: '1', c: '1', d: '1', e: '1', f: '1', g: '1' } },
      {},
      'it differs in data.a, data.b, data.c, data.d, data.e and 2 more',
    ],
  ])('%s', async (_title, backup, there, reason) => {
    const { outcome } = await restoring({ object: configMap(backup), there: [configMap(there)] });
    expect(outcome).toMatchObject({ act: 'conflict', reason });
  });

  it('is detected even when a quota or a taken port rejects the creation first', async () => {
    const { outcome } = await restoring({
      object: configMap(),
      there: [configMap({ data: { color: 'blue' } })],
      cluster: (cluster) => cluster.failOnce('create', () => true, 'KUBE_FORBIDDEN'),
    });
    expect(outcome.act).toBe('conflict');
  });

  const refusing = (cluster: FakeCluster, message: string, status: number, times = 1) => {
    let left = times;
    cluster.intercept((call, next) => {
      if (call.verb !== 'patch' || left-- <= 0) return next();
      throw kubeErrorFromStatus(status, { message, reason: status === 422 ? 'Invalid' : 'Forbidden' }, '');
    });
  };

  it.each<[title: string, message: string, status: number, act: string]>([
    ['an immutable field', 'ConfigMap "settings" is invalid: data: field is immutable', 422, 'immutable'],
    ['a denying webhook', 'admission webhook "a.b" denied the request: no', 403, 'denied'],
    ['another error', 'ConfigMap "settings" is invalid: data: too long', 422, 'conflict'],
  ])(
    'is a warning, with the labels written, when the update fails because of %s',
    async (_title, message, status, act) => {
      const { outcome, lines, now } = await restoring({
        object: configMap(),
        there: [configMap({ data: { color: 'blue' } })],
        spec: { existingResourcePolicy: 'update' },
        cluster: (cluster) => refusing(cluster, message, status),
      });
      expect([outcome.act, lines]).toEqual([act, ['warn: object is in the cluster and could not be updated']]);
      expect([now?.data, now?.metadata.labels]).toEqual([{ color: 'blue' }, restoreLabels]);
    },
  );

  it('is two warnings when the labels cannot be written either', async () => {
    const { lines } = await restoring({
      object: configMap(),
      there: [configMap({ data: { color: 'blue' } })],
      spec: { existingResourcePolicy: 'update' },
      cluster: (cluster) => refusing(cluster, 'no', 403, 2),
    });
    expect(lines).toEqual([
      'warn: object is in the cluster and could not be updated',
      'warn: labels of the backup and the restore could not be written',
    ]);
  });

  it('stays unchanged in a dry run, which reports the planned action', async () => {
    const { outcome, now } = await restoring({
      object: configMap(),
      there: [configMap({ data: { color: 'blue' } })],
      spec: { existingResourcePolicy: 'update' },
      dryRun: true,
    });
    expect([outcome.act, now?.data]).toEqual(['update', { color: 'blue' }]);
    expect(now?.metadata.labels).toBeUndefined();
  });
});

describe('an existing ServiceAccount', () => {
  const account = (parts: object = {}): Unstructured => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { namespace: 'shop', name: 'default' },
    ...parts,
  });
  it.each<[policy: string]>([[''], ['none'], ['update']])('gets its missing entries with policy %j', async (policy) => {
    const { outcome, now, lines } = await restoring({
      object: account({ imagePullSecrets: [{ name: 'registry' }] }),
      there: [account({ imagePullSecrets: [{ name: 'other' }] })],
      spec: { existingResourcePolicy: policy },
    });
    expect([outcome.act, now?.imagePullSecrets, lines]).toEqual([
      'update',
      [{ name: 'other' }, { name: 'registry' }],
      [],
    ]);
  });

  it('is unchanged when nothing is missing', async () => {
    const { outcome } = await restoring({
      object: account({ imagePullSecrets: [{ name: 'a' }] }),
      there: [account({ imagePullSecrets: [{ name: 'a' }, { name: 'b' }] })],
    });
    expect(outcome.act).toBe('unchanged');
  });
});

describe('a dry run', () => {
  it('writes nothing', async () => {
    const { outcome, now, ensured } = await restoring({ object: configMap(), dryRun: true });
    // The namespace is created in a dry run, too.
    expect([outcome.act, now, ensured]).toEqual(['create', undefined, ['shop']]);
  });

  it('reports create, and why the API server cannot check it, for an object in a namespace that the restore would create', async () => {
    const { outcome } = await restoring({
      object: configMap(),
      dryRun: true,
      spec: { namespaceMapping: { shop: 'new' } },
    });
    expect(outcome).toMatchObject({ act: 'create', namespace: 'new', reason: 'its namespace is not there yet' });
  });

  it('reports create for an object whose definition the restore would create', async () => {
    const { outcome, lines } = await restoring({
      object: { apiVersion: 'example.org/v1', kind: 'Gadget', metadata: { namespace: 'shop', name: 'g' } },
      unserved: 'gadgets.example.org',
      alsoArchived: [
        {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: 'gadgets.example.org' },
        },
      ],
      dryRun: true,
    });
    expect(outcome).toMatchObject({ act: 'create', reason: 'its CustomResourceDefinition is not there yet' });
    expect(lines).toEqual([]);
  });

  it('reports which admission plugin denies an object', async () => {
    const { outcome } = await restoring({
      object: configMap(),
      dryRun: true,
      cluster: (cluster) => cluster.failOnce('create', () => true, 'KUBE_FORBIDDEN'),
    });
    expect(outcome.act).toBe('denied');
  });
});
