import type { Unstructured } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { kubeErrorFromStatus } from '@lateen/kube';
import { FakeClock, type FakeCluster, fakeCluster, letTimePass, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type ItemCase, restoreInto } from '../testing/item-world.ts';

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
  return { ...end, cluster: ports.cluster, log: ports.log };
}

const configMap = (parts: { metadata?: object; data?: object } = {}): Unstructured => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name: 'settings', ...parts.metadata },
  data: { color: 'red', ...parts.data },
});

const restoreLabels = { 'velero.io/backup-name': 'daily', 'velero.io/restore-name': 'back' };

describe('an object that does not exist in the cluster', () => {
  it('is created in its namespace, with the labels of the backup and the restore', async () => {
    const { outcome, now, lines, ensured } = await restoring({
      object: configMap({ metadata: { uid: 'u-1', resourceVersion: '7', labels: { app: 'web' } } }),
    });
    expect(outcome).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'shop',
      name: 'settings',
      act: 'create',
    });
    expect(now).toMatchObject({ data: { color: 'red' }, metadata: { labels: { app: 'web', ...restoreLabels } } });
    expect([lines, ensured]).toEqual([[], ['shop']]);
  });

  it('costs one API call', async () => {
    const { cluster } = await restoring({ object: configMap() });
    expect(cluster.calls.map(({ verb }) => verb)).toEqual(['create']);
  });

  it('is created in the mapped namespace', async () => {
    const { outcome, now } = await restoring({
      object: configMap(),
      spec: { namespaceMapping: { shop: 'shop-two' } },
    });
    expect(outcome).toMatchObject({ namespace: 'shop-two', sourceNamespace: 'shop', act: 'create' });
    expect(now?.metadata.namespace).toBe('shop-two');
  });
});

describe('an object that is not restored', () => {
  const pod = (status: object, metadata: object = {}): Unstructured => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'shop', name: 'web', ...metadata },
    spec: { containers: [{ name: 'web', image: 'web:1' }] },
    status,
  });
  const job = (status: object): Unstructured => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { namespace: 'shop', name: 'once' },
    spec: { template: { spec: { containers: [] } } },
    status,
  });
  it.each<[title: string, given: ItemCase<FakeCluster>, reason: string | undefined]>([
    ['a succeeded pod', { object: pod({ phase: 'Succeeded' }) }, 'the pod is complete'],
    ['a failed pod', { object: pod({ phase: 'Failed' }) }, 'the pod is complete'],
    ['a running pod', { object: pod({ phase: 'Running' }) }, undefined],
    ['a completed job', { object: job({ completionTime: '2029-01-01T00:00:00Z' }) }, 'the job is complete'],
    ['a running job', { object: job({ active: 1 }) }, undefined],
    [
      'a mirror pod',
      { object: pod({ phase: 'Running' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } }) },
      'it is a mirror pod: the kubelet makes it by itself',
    ],
    [
      'a succeeded pod, even as an additional item that must be included',
      {
        object: pod({ phase: 'Succeeded' }),
        origin: { additionalTo: {} as never, mustInclude: true },
      },
      'the pod is complete',
    ],
    [
      'an object outside the filters',
      { object: configMap(), spec: { includedNamespaces: ['bank'] } },
      'namespace shop is not included',
    ],
    [
      'an object outside the filters, named by an action',
      { object: configMap(), spec: { includedNamespaces: ['bank'] }, origin: { additionalTo: {} as never } },
      'namespace shop is not included',
    ],
    [
      'an object outside the filters that must be included',
      {
        object: configMap(),
        spec: { includedNamespaces: ['bank'] },
        origin: { additionalTo: {} as never, mustInclude: true },
      },
      undefined,
    ],
    [
      'an object that an action skips',
      {
        object: configMap(),
        actions: [
          { name: 'skips', appliesTo: {}, execute: async ({ item }) => ({ updatedItem: item, skipRestore: true }) },
        ],
      },
      'an action skips it',
    ],
  ])('%s: %3$s', async (_title, given, reason) => {
    const { outcome, lines, now } = await restoring(given);
    expect([outcome.act, outcome.reason]).toEqual([reason === undefined ? 'create' : 'skip', reason]);
    expect([lines, now === undefined]).toEqual([[], reason !== undefined]);
  });

  it('does not cause its namespace to be created', async () => {
    const { ensured } = await restoring({ object: pod({ phase: 'Failed' }) });
    expect(ensured).toEqual([]);
  });
});

describe('the created object', () => {
  it('has the names of the backup and the restore as labels, shortened if necessary', async () => {
    const { now } = await restoring({
      object: configMap(),
      request: { backup: { apiVersion: 'velero.io/v1', kind: 'Backup', metadata: { name: 'b'.repeat(80) }, spec: {} } },
    });
    const label = now?.metadata.labels?.['velero.io/backup-name'] ?? '';
    expect([label.length, label.slice(0, 57)]).toEqual([63, 'b'.repeat(57)]);
  });

  it('keeps numbers as they are written', async () => {
    const text =
      '{"apiVersion":"example.org/v1","kind":"Gadget","metadata":{"namespace":"shop","name":"g"},"spec":{"big":9007199254740993,"ratio":1.0}}';
    let body = '';
    await restoring({
      object: { text },
      cluster: (cluster) =>
        cluster.intercept((call, next) => {
          if (call.verb === 'create') body = JSON.stringify(call.body);
          return next();
        }),
    });
    expect(body).toContain('"spec":{"big":9007199254740993,"ratio":1.0}');
  });

  it('has the changes of the actions first, then of the modifiers', async () => {
    const { now, outcome } = await restoring({
      object: configMap(),
      actions: [
        {
          name: 'paints',
          appliesTo: {},
          execute: async ({ item }) => ({ updatedItem: { ...item, data: { color: 'green', size: 'm' } } }),
        },
      ],
      request: {
        modifiers: {
          rules: [
            {
              conditions: { groupResource: 'configmaps', namespaces: ['shop'], matches: [] },
              patches: [{ op: 'replace', path: '/data/size', value: 'xl' }],
              mergePatches: [],
              strategicPatches: [],
            },
          ],
        },
      },
      spec: { namespaceMapping: { shop: 'shop-two' } },
    });
    expect([outcome.act, now?.data]).toEqual(['create', { color: 'green', size: 'xl' }]);
  });

  it('is created although a modifier fails, which is reported as an error', async () => {
    const { outcome, lines, now } = await restoring({
      object: configMap(),
      request: {
        modifiers: {
          rules: [
            {
              conditions: { groupResource: 'configmaps', namespaces: [], matches: [] },
              patches: [{ op: 'remove', path: '/data/nothing' }],
              mergePatches: [],
              strategicPatches: [],
            },
          ],
        },
      },
    });
    expect([outcome.act, lines, now?.data]).toEqual([
      'create',
      ['error: resource modifier could not be applied'],
      { color: 'red' },
    ]);
  });

  it('is not created when an action fails', async () => {
    const { outcome, lines, now } = await restoring({
      object: configMap(),
      actions: [
        {
          name: 'example.org/breaks',
          appliesTo: {},
          execute: async () => {
            throw new Error('no such thing');
          },
        },
      ],
    });
    expect(outcome).toMatchObject({ act: 'fail', reason: 'action example.org/breaks failed: no such thing' });
    expect([lines, now]).toEqual([['error: Error restoring item'], undefined]);
  });

  it('has another apiVersion when an action says so', async () => {
    const { cluster } = await restoring({
      object: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'shop', name: 'web' }, spec: {} },
      actions: [
        {
          name: 'moves',
          appliesTo: {},
          execute: async ({ item }) => ({ updatedItem: { ...item, apiVersion: 'apps/v2' } }),
        },
      ],
    });
    expect(cluster.everything().find(({ kind }) => kind === 'Deployment')?.apiVersion).toBe('apps/v2');
  });

  it('waits until the API server is available again', async () => {
    const { outcome, lines } = await restoring({
      object: configMap(),
      cluster: (cluster) => cluster.failTimes(3, 'create', () => true, 'KUBE_UNAVAILABLE'),
    });
    expect([outcome.act, lines]).toEqual(['create', []]);
  });

  it('fails when the API server stays unavailable', async () => {
    const { outcome, lines } = await restoring({
      object: configMap(),
      cluster: (cluster) => cluster.failTimes(50, 'create', () => true, 'KUBE_UNAVAILABLE'),
    });
    expect([outcome.act, lines]).toEqual(['fail', ['error: Error restoring item']]);
  });

  it('is not created twice when the response of its creation was lost', async () => {
    const { outcome, lines, cluster } = await restoring({
      object: configMap(),
      cluster: (cluster) => {
        let isFirst = true;
        cluster.intercept(async (call, next) => {
          const answer = await next();
          if (call.verb !== 'create' || !isFirst) return answer;
          isFirst = false;
          throw kubeErrorFromStatus(503, { message: 'connection lost' }, 'create');
        });
      },
    });
    expect([outcome.act, lines]).toEqual(['create', []]);
    expect(cluster.calls.map(({ verb }) => verb)).toEqual(['create', 'get']);
  });

  it('reports the name of the admission plugin that denies it', async () => {
    const { outcome, lines } = await restoring({
      object: configMap(),
      cluster: (cluster) =>
        cluster.intercept((call, next) => {
          if (call.verb !== 'create') return next();
          throw kubeErrorFromStatus(
            403,
            { message: 'admission webhook "a.b" denied the request: no', reason: 'Forbidden' },
            '',
          );
        }),
    });
    expect(outcome).toMatchObject({ act: 'denied', by: 'webhook a.b' });
    expect(lines).toEqual(['error: Error restoring item']);
  });

  it('fails when its kind is not served', async () => {
    const { outcome } = await restoring({
      object: configMap(),
      unserved: 'configmaps',
      versions: ['v1'],
    });
    expect(outcome).toMatchObject({ act: 'fail', reason: 'the cluster does not serve configmaps in version v1' });
  });

  it.each<[code: string, origin: ItemCase['origin'], level: string]>([
    ['CATALOG_ITEM_BROKEN', {}, 'error'],
    ['CATALOG_ITEM_BROKEN', { additionalTo: {} as never }, 'warn'],
    ['ARCHIVE_CUT', { additionalTo: {} as never }, 'error'],
  ])('fails when the archive cannot be read: %s of %j is logged at level %s', async (code, origin, level) => {
    const { outcome, lines } = await restoring({
      object: configMap(),
      unreadable: new AppError(code, 'not to be read'),
      ...(origin === undefined ? {} : { origin }),
    });
    expect([outcome.act, lines]).toEqual(['fail', [`${level}: Error restoring item`]]);
  });

  it('needs no namespace when it only describes where data is', async () => {
    const { ensured } = await restoring({
      object: { apiVersion: 'velero.io/v2alpha1', kind: 'DataUpload', metadata: { namespace: 'elsewhere', name: 'd' } },
      spec: { includedNamespaces: ['shop'] },
      actions: [
        { name: 'takes', appliesTo: {}, execute: async ({ item }) => ({ updatedItem: item, skipRestore: true }) },
      ],
    });
    expect(ensured).toEqual([]);
  });
});

describe('volumes and claims', () => {
  const volume = (): Unstructured => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv-1', uid: 'u' },
    spec: { claimRef: { namespace: 'shop', name: 'data', uid: 'c' }, capacity: { storage: '1Gi' } },
  });

  it('are restored as the volume rules decide', async () => {
    const { now, outcome } = await restoring({
      object: volume(),
      decideVolume: (given) => ({
        restore: true,
        volume: { ...given, spec: { capacity: { storage: '1Gi' } } } as never,
      }),
    });
    expect([outcome.act, now?.spec]).toEqual(['create', { capacity: { storage: '1Gi' } }]);
  });

  it('get another name when theirs is taken', async () => {
    const { now, outcome } = await restoring({
      object: volume(),
      decideVolume: (given) => ({ restore: true, volume: given as never, name: 'velero-clone-1' }),
    });
    expect(outcome).toMatchObject({ act: 'create', name: 'velero-clone-1', sourceName: 'pv-1' });
    expect(now?.metadata.name).toBe('velero-clone-1');
  });

  it('are skipped with the reason', async () => {
    const { outcome, now } = await restoring({
      object: volume(),
      decideVolume: () => ({ restore: false, reason: 'its data comes back into a new one', provisionAnew: true }),
    });
    expect(outcome).toMatchObject({ act: 'skip', reason: 'its data comes back into a new one' });
    expect(now).toBeUndefined();
  });

  it('claims get the volume that the restore assigns', async () => {
    const { now } = await restoring({
      object: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { namespace: 'shop', name: 'data' },
        spec: {
          volumeName: 'pv-1',
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
        },
      },
      prepareClaim: ({ spec, ...claim }) => ({ ...claim, spec: { ...(spec as object), volumeName: 'velero-clone-1' } }),
    });
    expect(now?.spec).toMatchObject({ volumeName: 'velero-clone-1' });
  });
});

describe('the status of an object', () => {
  const deployment = (annotations?: Record<string, string>): Unstructured => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'shop', name: 'web', ...(annotations && { annotations }) },
    spec: { replicas: 2 },
    status: { readyReplicas: 2 },
  });
  const key = 'velero.io/restore-status';
  it.each<[spec: object | undefined, annotation: string | undefined, comesBack: boolean, lines: number]>([
    [undefined, undefined, false, 0],
    [{ includedResources: ['deployments.apps'] }, undefined, true, 0],
    [{ includedResources: ['deployments'] }, undefined, true, 0],
    [{ includedResources: ['*'] }, undefined, true, 0],
    [{}, undefined, true, 0],
    [{ includedResources: ['pods'] }, undefined, false, 0],
    [{ excludedResources: ['deployments.apps'] }, undefined, false, 0],
    [{ includedResources: ['*'], excludedResources: ['deployments.apps'] }, undefined, false, 0],
    [undefined, 'true', true, 0],
    [{ includedResources: ['*'] }, 'false', false, 0],
    [{ includedResources: ['*'] }, 'perhaps', true, 1],
    [undefined, 'perhaps', false, 1],
  ])('with restoreStatus %j and annotation %s: %s', async (restoreStatus, annotation, comesBack, lineCount) => {
    const { now, lines, outcome } = await restoring({
      object: deployment(annotation === undefined ? undefined : { [key]: annotation }),
      spec: restoreStatus === undefined ? {} : { restoreStatus },
    });
    expect([outcome.act, now?.status, lines.length]).toEqual([
      'create',
      comesBack ? { readyReplicas: 2 } : undefined,
      lineCount,
    ]);
  });

  it('is a warning when it cannot be written', async () => {
    const { outcome, lines } = await restoring({
      object: deployment(),
      spec: { restoreStatus: {} },
      cluster: (cluster) => cluster.failOnce('patch', () => true, 'KUBE_FORBIDDEN'),
    });
    expect([outcome.act, lines]).toEqual(['create', ['warn: status of the object could not be restored']]);
  });
});

describe('the field managers of an object', () => {
  const owner = (manager: string, operation = 'Update') => ({ manager, operation, apiVersion: 'v1', fieldsV1: {} });

  it('cost no extra call when there is only one: the object is created under its name', async () => {
    const managers: unknown[] = [];
    const { cluster } = await restoring({
      object: configMap({ metadata: { managedFields: [owner('kubectl-create')] } }),
      cluster: (cluster) =>
        cluster.intercept((call, next) => {
          managers.push((call as { options?: { fieldManager?: string } }).options?.fieldManager);
          return next();
        }),
    });
    expect([cluster.calls.length, managers]).toEqual([1, ['kubectl-create']]);
  });

  it('are written afterwards when there are several', async () => {
    const { cluster, now } = await restoring({
      object: configMap({ metadata: { managedFields: [owner('a'), owner('argocd', 'Apply')] } }),
    });
    expect(cluster.calls.map(({ verb }) => verb)).toEqual(['create', 'patch']);
    expect(now?.metadata.managedFields).toEqual([owner('a'), owner('argocd', 'Apply')]);
  });

  it('are a warning when they cannot be written', async () => {
    const { outcome, lines } = await restoring({
      object: configMap({ metadata: { managedFields: [owner('a'), owner('b')] } }),
      cluster: (cluster) => cluster.failOnce('patch', () => true, 'KUBE_FORBIDDEN'),
    });
    expect([outcome.act, lines]).toEqual(['create', ['warn: owners of fields could not be written']]);
  });
});

it('are reported for a created pod', async () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'shop', name: 'web' },
    spec: { containers: [{ name: 'web', image: 'web:1' }] },
  };
  expect((await restoring({ object: pod })).podsCreated).toEqual(['web']);
  expect((await restoring({ object: pod, dryRun: true })).podsCreated).toEqual([]);
});
