import { type KubeObject, namespaceType, type Restore } from '@lateen/api-types';
import type { RestoreItemOutcome } from '@lateen/backup-store';
import { describeError } from '@lateen/errors';
import { orAborted } from '@lateen/kernel';
import { kubeError, matchResourceType } from '@lateen/kube';
import {
  type ApiCall,
  type FakeClock,
  type FakeCluster,
  fakeCluster,
  letWorkRun,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { prioritiesDefault } from '../order/priorities.ts';
import { catalogOf } from '../testing/catalog-of.ts';
import type { RestoreParts } from './compose-run.ts';
import type { RestoreEnginePorts, RestoreItemProgress, RunningRestore } from './contract.ts';
import { restoreItems } from './restore-items.ts';

const open = new AbortController().signal;

const configMap = (namespace: string, name: string): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data: { key: name } }) as KubeObject;

const namespaceOf = (name: string, labels: Record<string, string> = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels },
    spec: { finalizers: ['kubernetes'] },
  }) as KubeObject;

const definition = (plural: string): KubeObject =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true }],
    },
  }) as KubeObject;

interface WorldOptions {
  objects?: readonly KubeObject[];
  spec?: Restore['spec'];
  ports?: Partial<RestoreEnginePorts>;
  parallel?: number;
  parts?: Partial<RestoreParts>;
}

/** A restore of some objects into a cluster in memory. The test advances the clock. */
function world(cluster: FakeCluster, { objects = [], spec = {}, ports, parallel = 8, parts }: WorldOptions = {}) {
  const clock = cluster.clock as FakeClock;
  const log = recordingLog();
  const progress: RestoreItemProgress[] = [];
  const restore: RunningRestore = {
    apiVersion: 'velero.io/v1',
    kind: 'Restore',
    metadata: { name: 'again', namespace: 'velero', uid: 'restore-uid' },
    spec: { backupName: 'nightly', ...spec },
    status: { phase: 'InProgress' },
  };
  const resourceTypes = () => cluster.resourceTypes();
  const given: RestoreEnginePorts = {
    kube: cluster,
    clock,
    random: seededRandom(),
    log,
    veleroNamespace: 'velero',
    dryRun: false,
    discovery: {
      resourceTypes,
      findResourceType: async (query) => {
        const found = matchResourceType(await resourceTypes(), query);
        if (found === undefined) throw new Error('no such type');
        return found;
      },
    },
    podHooks: { podCreated: () => {} },
    actions: [],
    limits: {
      parallel,
      resourceTimeoutMs: 600_000,
      terminatingTimeoutMs: 600_000,
      additionalItemsReadyTimeoutMs: 600_000,
    },
    onProgress: (each) => progress.push({ ...each }),
    ...ports,
  };
  const request = {
    restore,
    backup: {
      apiVersion: 'velero.io/v1',
      kind: 'Backup',
      metadata: { name: 'nightly', namespace: 'velero' },
      spec: {},
    },
    catalog: catalogOf(objects),
    volumes: [],
    priorities: prioritiesDefault,
  } as const;
  const others: RestoreParts = {
    restoreItem: async (run, item, _origin, signal) => {
      const object = await run.request.catalog.read(item, signal);
      const type = run.types.find(item.groupResource);
      const namespace = item.namespace === undefined ? undefined : run.namespaces.mapped(item.namespace);
      const outcome = {
        apiVersion: item.apiVersion,
        kind: item.kind,
        name: item.name,
        ...(namespace ? { namespace } : {}),
      };
      if (type === undefined) return { ...outcome, act: 'fail', reason: 'not served' };
      try {
        if (namespace !== undefined) await run.namespaces.ensure(namespace, signal);
        const metadata = { ...object.metadata, ...(namespace ? { namespace } : {}) };
        await run.ports.kube.create(type, { ...object, metadata }, { signal });
        return { ...outcome, act: 'create' };
      } catch (error) {
        signal.throwIfAborted();
        return { ...outcome, act: 'fail', reason: describeError(error) };
      }
    },
    volumes: {
      decide: async (volume) => ({ restore: true, volume }),
      prepareClaim: async (claim) => claim,
      note: () => {},
      infos: () => [],
    },
    ...parts,
  };
  const run = (signal = open) => restoreItems(given, request, signal, () => others);
  return { clock, log, progress, run, given };
}

const texts = (items: Iterable<RestoreItemOutcome>): string[] =>
  [...items].map(
    ({ kind, namespace, name, act }) => `${act} ${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`,
  );

describe('restoreItems', () => {
  it('restores what the filters select, and creates namespaces as they were in the backup', async () => {
    const cluster = fakeCluster();
    const objects = [
      namespaceOf('shop', { team: 'blue' }),
      namespaceOf('empty'),
      configMap('shop', 'a'),
      configMap('app', 'b'),
    ];
    const { run, progress } = world(cluster, { objects, spec: { includedNamespaces: ['shop', 'empty'] } });
    const outcome = await run();
    expect(texts(outcome.items)).toEqual(['create Namespace shop', 'create ConfigMap shop/a']);
    expect(cluster.find(namespaceType, { name: 'shop' })?.metadata.labels).toMatchObject({ team: 'blue' });
    expect(cluster.find(namespaceType, { name: 'empty' })).toBeUndefined();
    expect([outcome.totalItems, outcome.itemsRestored]).toEqual([2, 2]);
    expect(progress.at(-1)).toEqual({ totalItems: 2, itemsRestored: 2 });
  });

  it('restores into mapped namespaces, with the metadata of the namespace in the backup', async () => {
    const cluster = fakeCluster();
    const objects = [namespaceOf('shop', { team: 'blue' }), configMap('shop', 'a')];
    const outcome = await world(cluster, { objects, spec: { namespaceMapping: { shop: 'shop-2' } } }).run();
    expect([...outcome.items][0]).toEqual({
      apiVersion: 'v1',
      kind: 'Namespace',
      name: 'shop-2',
      sourceName: 'shop',
      act: 'create',
    });
    expect(cluster.find(namespaceType, { name: 'shop-2' })?.metadata.labels).toMatchObject({ team: 'blue' });
  });

  it('waits once for a namespace that is being deleted, and restores other namespaces meanwhile', async () => {
    const cluster = fakeCluster();
    const leaving = { ...namespaceOf('shop'), status: { phase: 'Terminating' } };
    cluster.put(leaving);
    const objects = [configMap('shop', 'a'), configMap('shop', 'b'), configMap('app', 'c')];
    const { run, clock } = world(cluster, { objects, parallel: 2 });
    const running = run();
    await clock.advance(1_000);
    expect(cluster.calls.filter(({ verb }) => verb === 'create').map(({ key }) => key.name)).toEqual(['app', 'c']);
    cluster.remove(namespaceType, { name: 'shop' });
    await clock.advance(1_000);
    expect(texts((await running).items)).toContain('create ConfigMap shop/b');
    const gets = cluster.calls.filter(
      ({ verb, type, key }) => verb === 'get' && type.kind === 'Namespace' && key.name === 'shop',
    );
    expect(gets).toHaveLength(1);
  });

  it('does not deadlock when additional items in all parallel slots wait for a namespace', async () => {
    const cluster = fakeCluster();
    cluster.put({ ...namespaceOf('shop'), status: { phase: 'Terminating' } } as KubeObject);
    const { run, clock } = world(cluster, {
      objects: [configMap('app', 'a'), configMap('shop', 'x'), configMap('shop', 'y')],
      parallel: 2,
      parts: {
        restoreItem: async (itemRun, item, _origin, signal) => {
          const ids = ['x', 'y'].map((name) => ({ group: '', resource: 'configmaps', namespace: 'shop', name }));
          if (item.name === 'a')
            await itemRun.additional.restore(item, ids, { mustInclude: false, by: 'example' }, signal);
          await itemRun.namespaces.ensure(item.namespace ?? '', signal);
          return { apiVersion: 'v1', kind: item.kind, namespace: item.namespace ?? '', name: item.name, act: 'create' };
        },
      },
    });
    const running = run();
    await clock.advance(1_000);
    cluster.remove(namespaceType, { name: 'shop' });
    await clock.advance(1_000);
    expect((await running).itemsRestored).toBe(5);
  });

  it('retries the creation of a namespace while the API server is unavailable', async () => {
    const cluster = fakeCluster();
    cluster.failTimes(3, 'create', namespaceType, 'KUBE_UNAVAILABLE');
    const { run, clock } = world(cluster, { objects: [configMap('shop', 'a')] });
    const running = run();
    await clock.advance(60_000);
    expect(texts((await running).items)).toEqual(['create Namespace shop', 'create ConfigMap shop/a']);
  });

  it('fails each object of a namespace that stays Terminating, after one shared wait', async () => {
    const cluster = fakeCluster();
    cluster.put({ ...namespaceOf('shop'), status: { phase: 'Terminating' } } as KubeObject);
    const { run, clock } = world(cluster, { objects: [configMap('shop', 'a'), configMap('shop', 'b')] });
    const running = run();
    await clock.advance(600_000);
    const outcomes = [...(await running).items];
    expect(outcomes.map(({ act }) => act)).toEqual(['fail', 'fail']);
    expect(outcomes[0]?.reason).toContain(
      'timed out waiting for terminating namespace to disappear before restoring: shop',
    );
  });

  it('waits until a definition is served before it restores its custom resources, and restores others meanwhile', async () => {
    const cluster = fakeCluster();
    const widget = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { namespace: 'shop', name: 'w' },
    } as KubeObject;
    const { run, clock, log } = world(cluster, { objects: [widget, definition('widgets'), configMap('shop', 'a')] });
    const running = run();
    await clock.advance(5_000);
    const crd = {
      group: 'apiextensions.k8s.io',
      version: 'v1',
      resource: 'customresourcedefinitions',
      kind: 'CustomResourceDefinition',
      namespaced: false,
    };
    const made = cluster.find(crd, { name: 'widgets.example.com' });
    if (made !== undefined)
      cluster.put({ ...made, status: { conditions: [{ type: 'Established', status: 'True' }] } } as KubeObject);
    await clock.advance(5_000);
    const outcome = await running;
    expect(texts(outcome.items)).toContain('create Widget shop/w');
    const order = texts(outcome.items);
    expect(order.indexOf('create ConfigMap shop/a')).toBeLessThan(order.indexOf('create Widget shop/w'));
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it("restores an item that an action names before the action's item, once, even when two items name each other", async () => {
    const cluster = fakeCluster();
    const objects = [configMap('shop', 'a'), configMap('shop', 'b'), configMap('app', 'c')];
    const named: Record<string, string> = { a: 'b', b: 'a' };
    const restored: string[] = [];
    const { run } = world(cluster, {
      objects,
      parallel: 1,
      parts: {
        restoreItem: async (itemRun, item, _origin, signal) => {
          const name = named[item.name];
          const ids = name === undefined ? [] : [{ group: '', resource: 'configmaps', namespace: 'shop', name }];
          const there = await itemRun.additional.restore(item, ids, { mustInclude: false, by: 'example' }, signal);
          restored.push(`${item.name} after ${there.map((id) => id.name).join()}`);
          return { apiVersion: 'v1', kind: item.kind, name: item.name, act: 'create' };
        },
      },
    });
    await run();
    expect(restored).toEqual(['c after ', 'b after a', 'a after b']);
  });

  it('reports an additional item that the archive does not have, and continues', async () => {
    const cluster = fakeCluster();
    const { run, log } = world(cluster, {
      objects: [configMap('shop', 'a')],
      parts: {
        restoreItem: async (itemRun, item, _origin, signal) => {
          const ids = [{ group: '', resource: 'secrets', namespace: 'shop', name: 'gone' }];
          const there = await itemRun.additional.restore(item, ids, { mustInclude: false, by: 'example' }, signal);
          expect(there).toEqual([]);
          return { apiVersion: 'v1', kind: item.kind, name: item.name, act: 'create' };
        },
      },
    });
    await run();
    expect(
      log.lines.filter(({ level }) => level === 'warn').map(({ message, fields }) => [message, fields.name]),
    ).toEqual([['additional item is not in the backup', 'gone']]);
  });

  it('reports an unexpected exception for one object and continues', async () => {
    const cluster = fakeCluster();
    const { run, log } = world(cluster, {
      objects: [configMap('shop', 'a'), configMap('shop', 'b')],
      parts: {
        restoreItem: async (_run, item) => {
          if (item.name === 'a') throw new TypeError('undefined is no function');
          return { apiVersion: 'v1', kind: item.kind, namespace: 'shop', name: item.name, act: 'create' };
        },
      },
    });
    expect(texts((await run()).items)).toEqual([
      'create Namespace shop',
      'fail ConfigMap shop/a',
      'create ConfigMap shop/b',
    ]);
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('ends with the reason of an abort after running work has ended', async () => {
    const cluster = fakeCluster();
    const stop = new AbortController();
    let underWay = 0;
    const { run, clock } = world(cluster, {
      objects: Array.from({ length: 50 }, (_, at) => configMap('shop', `c${at}`)),
      parts: {
        restoreItem: async (itemRun, item) => {
          underWay++;
          await itemRun.ports.clock.sleep(100);
          underWay--;
          return { apiVersion: 'v1', kind: item.kind, name: item.name, act: 'create' };
        },
      },
    });
    const running = run(stop.signal);
    const end = running.then(
      () => 'whole',
      (error: unknown) => (error as Error).message,
    );
    await clock.advance(150);
    stop.abort(new Error('canceled'));
    await clock.advance(1_000);
    expect([await end, underWay]).toEqual(['canceled', 0]);
  });

  it('calls endItems of all actions, also after an abort and when one of the calls fails', async () => {
    const ended: string[] = [];
    const action = (name: string, endItems: () => Promise<void>) => ({
      name,
      appliesTo: {},
      execute: async () => expect.fail('not asked here'),
      endItems: async (context: { log: unknown; runLog?: unknown }) => {
        ended.push(name);
        expect(context.runLog).toBeDefined();
        await endItems();
      },
    });
    const actions = [action('a', () => Promise.reject(new Error('no'))), action('b', async () => {})];
    const { run, log } = world(fakeCluster(), { objects: [configMap('shop', 'c')], ports: { actions } });
    await run();
    expect(ended).toEqual(['a', 'b']);
    expect(log.messages('warn')).toEqual(['action did not release all its resources']);
    const aborted = world(fakeCluster(), {
      objects: [configMap('shop', 'c')],
      ports: { actions },
      parts: { restoreItem: async (_run, _item, _origin, signal) => orAborted(new Promise(() => {}), signal) },
    });
    const stop = new AbortController();
    const running = aborted.run(stop.signal).catch((error: Error) => error.message);
    await letWorkRun();
    stop.abort(new Error('canceled'));
    expect(await running).toBe('canceled');
    expect(ended).toEqual(['a', 'b', 'a', 'b']);
  });

  it('reduces its parallelism when the API server rejects requests as too many', async () => {
    const cluster = fakeCluster();
    let most = 0;
    let atOnce = 0;
    const { run, clock } = world(cluster, {
      objects: Array.from({ length: 200 }, (_, at) => configMap('shop', `c${at}`)),
      parallel: 16,
      parts: {
        restoreItem: async (itemRun, item, _origin, signal) => {
          most = Math.max(most, ++atOnce);
          await itemRun.ports.kube.get(namespaceType, { name: 'shop' }, { signal }).catch(() => {});
          await itemRun.ports.clock.sleep(100);
          atOnce--;
          if (item.name === 'c150') most = 0;
          return { apiVersion: 'v1', kind: item.kind, name: item.name, act: 'create' };
        },
      },
    });
    cluster.failTimes(
      100_000,
      'get',
      ({ type }: { type: { kind: string } }) => type.kind === 'Namespace',
      kubeError('KUBE_TOO_MANY_REQUESTS', 'no'),
    );
    const running = run();
    await clock.advance(100_000);
    await running;
    expect(most).toBeLessThanOrEqual(2);
  });

  it('writes nothing in a dry run', async () => {
    const cluster = fakeCluster();
    const { run } = world(cluster, {
      objects: [namespaceOf('shop'), configMap('shop', 'a'), definition('widgets')],
      ports: { dryRun: true },
      parts: {
        restoreItem: async (_run, item) => ({ apiVersion: 'v1', kind: item.kind, name: item.name, act: 'create' }),
      },
    });
    expect(texts((await run()).items)).toContain('create Namespace shop');
    const isWrite = ({ verb, options }: ApiCall) => verb !== 'get' && verb !== 'list' && !('dryRun' in options);
    expect(cluster.calls.filter(isWrite)).toEqual([]);
  });

  describe('webhooks', () => {
    const webhookOf = (rules: object): KubeObject =>
      ({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'certs' },
        webhooks: [
          { name: 'w.example.com', clientConfig: { service: { namespace: 'certs', name: 'webhook' } }, rules: [rules] },
        ],
      }) as KubeObject;
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace: 'certs', name: 'webhook' },
      spec: { selector: { app: 'webhook' } },
    } as KubeObject;
    const widget = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { namespace: 'shop', name: 'w' },
    } as KubeObject;
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { namespace: 'certs', name: 'webhook-1', labels: { 'kubernetes.io/service-name': 'webhook' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
    } as KubeObject;
    const looking = webhookOf({ apiGroups: ['example.com'], resources: ['*'], operations: ['CREATE'] });
    const served = { ...definition('widgets'), status: { conditions: [{ type: 'Established', status: 'True' }] } };

    it('delay custom resources that they check when they come with the restore, and delay nothing else', async () => {
      const cluster = fakeCluster();
      cluster.put(looking, served as KubeObject);
      const { run, clock, log } = world(cluster, { objects: [widget, service, configMap('shop', 'a')], parallel: 1 });
      const running = run();
      await clock.advance(10_000);
      expect(cluster.calls.filter(({ verb }) => verb === 'create').map(({ key }) => key.name)).toEqual([
        'shop',
        'a',
        'certs',
        'webhook',
      ]);
      cluster.put(slice);
      await clock.advance(1_000);
      expect(texts((await running).items)).toContain('create Widget shop/w');
      expect(log.messages('error')).toEqual([]);
    });

    it('are given up after the resource timeout with an error, and the objects are restored anyway', async () => {
      const cluster = fakeCluster();
      cluster.put(looking, served as KubeObject);
      const { run, clock, log } = world(cluster, { objects: [widget, service] });
      const running = run();
      await clock.advance(600_000);
      expect(texts((await running).items)).toContain('create Widget shop/w');
      expect(log.messages('error')).toEqual(['webhook is not ready']);
    });

    it.each([
      {
        title: 'that check other kinds',
        there: webhookOf({ apiGroups: ['other.com'], resources: ['*'], operations: ['*'] }),
      },
      {
        title: 'that check deletions only',
        there: webhookOf({ apiGroups: ['*'], resources: ['*'], operations: ['DELETE'] }),
      },
    ])('$title delay nothing', async ({ there }) => {
      const cluster = fakeCluster();
      cluster.put(there, served as KubeObject);
      const { run, clock } = world(cluster, { objects: [widget, service] });
      const running = run();
      await clock.advance(1_000);
      expect(texts((await running).items)).toContain('create Widget shop/w');
    });

    it('whose Service and pods are not restored delay nothing', async () => {
      const cluster = fakeCluster();
      cluster.put(looking, served as KubeObject);
      const { run, clock } = world(cluster, { objects: [widget] });
      const running = run();
      await clock.advance(1_000);
      expect(texts((await running).items)).toContain('create Widget shop/w');
    });

    it('that convert custom resources delay these resources', async () => {
      const cluster = fakeCluster();
      const crd = definition('widgets') as KubeObject & { spec: object };
      const conversion = {
        strategy: 'Webhook',
        webhook: { clientConfig: { service: { namespace: 'certs', name: 'webhook' } } },
      };
      cluster.put(served as KubeObject);
      const objects = [widget, service, { ...crd, spec: { ...crd.spec, conversion } } as KubeObject];
      const { run, clock } = world(cluster, { objects });
      const running = run();
      await clock.advance(10_000);
      expect(cluster.calls.some(({ verb, key }) => verb === 'create' && key.name === 'w')).toBe(false);
      cluster.put(slice);
      await clock.advance(1_000);
      expect(texts((await running).items)).toContain('create Widget shop/w');
    });
  });
});
