import { isConflict, isGone, isNotFound, type ResourceType, type Unstructured } from '@lateen/kube';
import { type Volume, volumeType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../clock/fake-clock.ts';
import { fakeCluster } from './fake-cluster.ts';

const configMaps: ResourceType<Unstructured> = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
const pods: ResourceType<Unstructured> = { ...configMaps, resource: 'pods', kind: 'Pod' };
const dataUploads: ResourceType<Unstructured> = {
  group: 'velero.io',
  version: 'v2alpha1',
  resource: 'datauploads',
  kind: 'DataUpload',
  namespaced: true,
};

const aConfigMap = (name: string, rest: object = {}): Unstructured => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'velero' },
  ...rest,
});

describe('fakeCluster', () => {
  it("reports a missing object in the API server's wording", async () => {
    const cluster = fakeCluster();
    await expect(cluster.get(dataUploads, { namespace: 'velero', name: 'x' })).rejects.toThrow(
      'datauploads.velero.io "x" not found',
    );
    await expect(cluster.create(configMaps, aConfigMap('a'), { namespace: 'other' })).rejects.toThrow(
      'the namespace of the provided object does not match',
    );
    const elsewhere = { ...aConfigMap('a'), metadata: { name: 'a', namespace: 'nowhere' } };
    await expect(cluster.create(configMaps, elsewhere)).rejects.toThrow('namespaces "nowhere" not found');
  });

  it('rejects a stale write and keeps the newer object', async () => {
    const cluster = fakeCluster();
    const first = await cluster.create(configMaps, aConfigMap('a', { data: { v: '1' } }));
    await cluster.update(configMaps, { ...first, data: { v: '2' } });
    const error = await cluster.update(configMaps, { ...first, data: { v: '3' } }).catch((e: unknown) => e);
    expect(isConflict(error)).toBe(true);
    expect(cluster.find(configMaps, { namespace: 'velero', name: 'a' })?.data).toEqual({ v: '2' });
  });

  it('returns copies: changing a response changes nothing in the cluster', async () => {
    const cluster = fakeCluster({ objects: [aConfigMap('a', { data: { v: '1' } })] });
    const got = await cluster.get(configMaps, { namespace: 'velero', name: 'a' });
    got.data = { v: 'changed' };
    expect(cluster.find(configMaps, { namespace: 'velero', name: 'a' })?.data).toEqual({ v: '1' });
  });

  it('separates the status of longhorn.io kinds, even without their definitions', async () => {
    const cluster = fakeCluster();
    const metadata = { name: 'v', namespace: 'velero' };
    const volume: Volume = { apiVersion: 'longhorn.io/v1beta2', kind: 'Volume', metadata, spec: { size: '2097152' } };
    const made = await cluster.create(volumeType, { ...volume, status: { state: 'attached' } });
    expect(made.status).toBeUndefined();
    const changed = { ...made, spec: { size: '4194304' }, status: { state: 'detached' } } as const;
    const updated = await cluster.update(volumeType, changed, { subresource: 'status' });
    expect([updated.spec, updated.status]).toEqual([{ size: '2097152' }, { state: 'detached' }]);
  });

  it('injects a failure once, and records every call', async () => {
    const cluster = fakeCluster().failOnce('create', configMaps, 'KUBE_UNAVAILABLE');
    await expect(cluster.create(configMaps, aConfigMap('a'))).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE' });
    await cluster.create(configMaps, aConfigMap('a'));
    expect(cluster.calls.map((call) => `${call.verb} ${call.key.name}`)).toEqual(['create a', 'create a']);
  });

  it('lets an interceptor lose the response of a completed write', async () => {
    const cluster = fakeCluster();
    const off = cluster.intercept(async (_call, next) => {
      await next();
      throw new Error('connection reset');
    });
    await expect(cluster.create(configMaps, aConfigMap('a'))).rejects.toThrow('connection reset');
    off();
    expect(cluster.find(configMaps, { namespace: 'velero', name: 'a' })).toBeDefined();
  });

  it('deletes dependents of a deleted owner, through several levels', async () => {
    const cluster = fakeCluster({ objects: [aConfigMap('owner')] });
    const ownedBy = (owner: Unstructured | undefined) => ({
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: owner?.metadata.uid ?? '' }],
    });
    const key = (name: string) => ({ namespace: 'velero', name });
    cluster.put({
      ...aConfigMap('child'),
      metadata: { ...key('child'), ...ownedBy(cluster.find(configMaps, key('owner'))) },
    });
    cluster.put({
      ...aConfigMap('leaf'),
      metadata: { ...key('leaf'), ...ownedBy(cluster.find(configMaps, key('child'))) },
    });
    await cluster.delete(configMaps, key('owner'));
    await cluster.settle();
    expect(cluster.all(configMaps)).toEqual([]);
  });

  it('changes pods as a kubelet does', async () => {
    const key = { namespace: 'velero', name: 'p' };
    const cluster = fakeCluster({
      objects: [{ ...aConfigMap('p'), kind: 'Pod', spec: { containers: [{ name: 'mover' }] } } as Unstructured],
    });
    cluster.setPodPhase(key, 'Succeeded', { nodeName: 'node-1', terminationMessage: '{"snapshotID":"s"}' });
    const pod = await cluster.get(pods, key);
    expect(pod.spec).toMatchObject({ nodeName: 'node-1' });
    expect(pod.status).toMatchObject({
      phase: 'Succeeded',
      containerStatuses: [{ name: 'mover', state: { terminated: { exitCode: 0, message: '{"snapshotID":"s"}' } } }],
    });
  });

  it('returns 410 to a watch from before the compaction', async () => {
    const cluster = fakeCluster({ objects: [aConfigMap('a')] });
    const { resourceVersion } = await cluster.list(configMaps);
    cluster.put(aConfigMap('b')).compact();
    const watch = cluster.watch(configMaps, { resourceVersion, timeoutSeconds: 60 });
    const error = await watch[Symbol.asyncIterator]()
      .next()
      .catch((e: unknown) => e);
    expect(isGone(error)).toBe(true);
  });

  it('ends a watch after its timeout on the fake clock, a bookmark two seconds before', async () => {
    const clock = new FakeClock();
    const cluster = fakeCluster({ clock });
    const types: string[] = [];
    const reading = (async () => {
      const { resourceVersion } = await cluster.list(configMaps);
      for await (const event of cluster.watch(configMaps, { resourceVersion, timeoutSeconds: 30 }))
        types.push(event.type);
    })();
    await clock.advance(28_000);
    expect(types).toEqual(['BOOKMARK']);
    expect(cluster.openWatches).toBe(1);
    await clock.advance(2_000);
    await reading;
    expect([cluster.openWatches, clock.pending]).toEqual([0, 0]);
  });

  it('reports a system that never becomes idle', async () => {
    const cluster = fakeCluster();
    const stop = new AbortController();
    const busy = (async () => {
      while (!stop.signal.aborted) {
        await cluster
          .get(configMaps, { namespace: 'velero', name: 'a' })
          .catch((error: unknown) => expect(isNotFound(error)).toBe(true));
      }
    })();
    // One endless chain of promises would block the event loop itself; a real loop yields.
    const off = cluster.intercept(async (_call, next) => {
      await new Promise((resolve) => setImmediate(resolve));
      return next();
    });
    await expect(cluster.settle()).rejects.toThrow('did not come to rest; last calls: get configmaps a');
    stop.abort();
    off();
    await busy;
  });
});
