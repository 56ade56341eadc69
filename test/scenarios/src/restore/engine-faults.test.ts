import { configMapType, type KubeObject } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { kubeError } from '@lateen/kube';
import { aConfigMap, aNamespace, type FakeCluster } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { generatedCluster } from './cluster/generated-cluster.ts';
import { backedUp, restoreWorld } from './restore-world.ts';
import { differences, stateOf } from './restored-state.ts';

const configMaps = (namespace: string, count: number) =>
  Array.from({ length: count }, (_, at) => aConfigMap({ namespace, name: `config-${at}` }));

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gears.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Gear', plural: 'gears' },
    versions: [{ name: 'v1', served: true, storage: true }],
  },
} as KubeObject;
const gear = { apiVersion: 'example.com/v1', kind: 'Gear', metadata: { namespace: 'shop', name: 'g' } } as KubeObject;

/** Number of items per act. */
function counted(items: readonly { act: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { act } of items) counts[act] = (counts[act] ?? 0) + 1;
  return counts;
}

const madeAtMs = (cluster: FakeCluster, name: string): number =>
  cluster.calls.find(({ verb, key }) => verb === 'create' && key.name === name)?.atMs ?? Number.NaN;

describe('a restore', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'has the same result when the API server is not reachable for a while, seed %i',
    async (seed) => {
      const stored = await backedUp(generatedCluster(seed));
      const calm = restoreWorld({ seed });
      await calm.run(stored);
      const world = restoreWorld({ seed });
      let calls = 0;
      let backAtMs = 0;
      world.cluster.intercept(async ({ verb }, next) => {
        calls += 1;
        if (calls === 6 * seed) backAtMs = world.clock.now() + 8_000;
        const leftMs = backAtMs - world.clock.now();
        // The client repeats reads by itself; after a failed write it cannot know whether the object was created.
        if (leftMs > 0 && !['get', 'list', 'watch'].includes(verb)) throw kubeError('KUBE_UNAVAILABLE', 'ECONNRESET');
        if (leftMs > 0) await world.clock.sleep(leftMs);
        return await next();
      });
      await world.run(stored);
      expect(backAtMs).toBeGreaterThan(0);
      expect(differences(stateOf(calm.cluster), stateOf(world.cluster))).toEqual({});
      expect(world.lines('error')).toEqual([]);
    },
  );

  it('is not delayed by a webhook that hangs: its object fails, and the others are created long before', async () => {
    const stored = await backedUp([...configMaps('shop', 30), aConfigMap({ namespace: 'shop', name: 'aaa-hangs' })]);
    const world = restoreWorld({ limits: { parallel: 4 } });
    const hangMs = 10_000;
    world.cluster.intercept(async ({ verb, key }, next) => {
      if (verb !== 'create' || key.name !== 'aaa-hangs') return await next();
      await world.clock.sleep(hangMs);
      throw kubeError('KUBE_SERVER_ERROR', 'failed calling webhook "slow.example.com": context deadline exceeded');
    });
    const startMs = world.clock.now();
    const { items } = await world.run(stored);
    expect(counted(items)).toMatchObject({ fail: 1 });
    expect(items.find(({ act }) => act === 'fail')?.reason).toContain('context deadline exceeded');
    expect(world.lines('error')).toEqual(['configmaps shop/aaa-hangs: Error restoring item']);
    for (let at = 0; at < 30; at += 1) expect(madeAtMs(world.cluster, `config-${at}`) - startMs).toBeLessThan(hangMs);
  });

  it('gives up a definition that never becomes ready after the resource timeout, and restores what does not need it', async () => {
    const stored = await backedUp([definition, gear, ...configMaps('shop', 3)]);
    const world = restoreWorld({ definitionDelayMs: () => undefined, limits: { resourceTimeoutMs: 60_000 } });
    const startMs = world.clock.now();
    const { items } = await world.run(stored);
    expect(items.filter(({ act }) => act === 'fail').map(({ kind }) => kind)).toEqual(['Gear']);
    expect(world.lines('error')).toEqual([
      'customresourcedefinitions.apiextensions.k8s.io gears.example.com: CustomResourceDefinition is not ready',
      'gears.example.com shop/g: Error restoring item',
    ]);
    expect(madeAtMs(world.cluster, 'config-2') - startMs).toBeLessThan(60_000);
  });

  it('restores as much as a quota allows, and names the quota for the rest', async () => {
    const stored = await backedUp(configMaps('shop', 6));
    const hard = { 'count/configmaps': '4' };
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { namespace: 'shop', name: 'few' },
      spec: { hard },
    };
    const world = restoreWorld({ objects: [quota as KubeObject] });
    await world.cluster.settle();
    const { items } = await world.run(stored);
    // One of the four allowed is the ConfigMap with the certificates of the API server.
    expect(items.filter(({ kind, act }) => kind === 'ConfigMap' && act === 'create')).toHaveLength(3);
    const denied = items.filter(({ act }) => act === 'denied');
    expect(denied.map(({ by }) => by)).toEqual(['ResourceQuota few', 'ResourceQuota few', 'ResourceQuota few']);
  });

  it('waits once for a namespace that stays Terminating, however many objects it has, and restores the others meanwhile', async () => {
    const stored = await backedUp([...configMaps('shop', 20), ...configMaps('bank', 3)]);
    const ending = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'shop', deletionTimestamp: '2029-12-31T00:00:00Z', finalizers: ['example.com/hold'] },
      status: { phase: 'Terminating' },
    };
    const world = restoreWorld({ objects: [ending as KubeObject], limits: { parallel: 2 } });
    const startMs = world.clock.now();
    const { items } = await world.run(stored);
    const tookMs = world.clock.now() - startMs;
    expect([tookMs >= 600_000, tookMs < 700_000]).toEqual([true, true]);
    const failed = items.filter(({ act }) => act === 'fail');
    expect(new Set(failed.map(({ namespace }) => namespace))).toEqual(new Set(['shop']));
    expect(failed[0]?.reason).toContain('timed out waiting for terminating namespace');
    expect(items.filter(({ namespace, act }) => namespace === 'bank' && act === 'fail')).toEqual([]);
    expect(madeAtMs(world.cluster, 'config-2') - startMs).toBeLessThan(60_000);
  });

  it('waits for objects that are being deleted and restores others meanwhile; when one stays, its finalizers are named', async () => {
    const stored = await backedUp(configMaps('shop', 20));
    const ending = (name: string): KubeObject => ({
      ...aConfigMap({ namespace: 'shop', name }),
      metadata: {
        namespace: 'shop',
        name,
        uid: `old-${name}`,
        deletionTimestamp: '2029-12-31T00:00:00Z',
        finalizers: ['example.com/hold'],
      },
    });
    const objects = [aNamespace({ name: 'shop' }), ...['config-0', 'config-1', 'config-2'].map(ending)];
    const plan = restoreWorld({ objects });
    const planned = await plan.run(stored, { dryRun: true });
    expect(planned.items.filter(({ reason }) => reason === 'the one in the cluster is being deleted')).toHaveLength(3);
    expect(counted(planned.items.filter(({ kind }) => kind === 'ConfigMap'))).toEqual({ create: 20 });
    const world = restoreWorld({ objects, limits: { parallel: 2 } });
    const goneAtMs = world.clock.now() + 90_000;
    void world.clock.sleep(90_000).then(() => {
      for (const name of ['config-0', 'config-1']) world.cluster.remove(configMapType, { namespace: 'shop', name });
    });
    const { items } = await world.run(stored);
    expect(counted(items.filter(({ kind }) => kind === 'ConfigMap'))).toEqual({ create: 19, fail: 1 });
    const failed = items.find(({ act }) => act === 'fail');
    expect([failed?.name, failed?.reason]).toEqual(['config-2', expect.stringContaining('example.com/hold')]);
    const now = (name: string) => world.cluster.find(configMapType, { namespace: 'shop', name })?.metadata.uid;
    expect(now('config-2')).toBe('old-config-2');
    expect(now('config-0')).not.toBe('old-config-0');
    expect(madeAtMs(world.cluster, 'config-19')).toBeLessThan(goneAtMs);
    expect(world.cluster.openWatches).toBe(0);
  });

  it.each([5, 25, 45])(
    'that is aborted at write %i writes nothing more, and the next attempt has the same result as an undisturbed one',
    async (at) => {
      const stored = await backedUp(generatedCluster(7));
      const calm = restoreWorld();
      await calm.run(stored);
      const world = restoreWorld();
      const stop = new AbortController();
      const reason = new AppError('STOPPED', 'the controller stops');
      let writes = 0;
      const isWrite = (verb: string) => verb === 'create' || verb === 'patch' || verb === 'update';
      const undo = world.cluster.intercept(async ({ verb }, next) => {
        if (isWrite(verb) && ++writes === at) stop.abort(reason);
        return await next();
      });
      const broken = world.run(stored, {}, stop.signal).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(await broken).toBe(reason);
      const left = stateOf(world.cluster);
      await world.clock.advance(60_000);
      expect(differences(left, stateOf(world.cluster))).toEqual({});
      undo();
      await world.run(stored);
      expect(differences(stateOf(calm.cluster), stateOf(world.cluster))).toEqual({});
    },
  );
});
