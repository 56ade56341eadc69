import { type ConfigMap, configMapType, namespaceType, podType } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { aConfigMap, aNamespace, aPod } from '../builders/workloads.ts';
import { fakeCluster } from './fake-cluster.ts';

const at = (name: string) => ({ namespace: 'velero', name });

function owned(name: string, owner: ConfigMap, blockOwnerDeletion = false): ConfigMap {
  const { name: ownerName = '', uid = '' } = owner.metadata;
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: ownerName, uid, blockOwnerDeletion };
  return aConfigMap({ name, metadata: { ownerReferences: [reference] } });
}

const namesIn = (cluster: ReturnType<typeof fakeCluster>) =>
  cluster.all(configMapType).map((each) => each.metadata.name);

describe('the simulated garbage collector', () => {
  it('deletes a dependent only when its last owner is gone', async () => {
    const [one, two] = [aConfigMap({ name: 'one' }), aConfigMap({ name: 'two' })];
    const child = owned('child', one);
    child.metadata.ownerReferences?.push(...(owned('x', two).metadata.ownerReferences ?? []));
    const cluster = fakeCluster({ objects: [one, two, child] });
    await cluster.delete(configMapType, at('one'));
    expect(namesIn(cluster)).toEqual(['child', 'two']);
    await cluster.delete(configMapType, at('two'));
    expect(namesIn(cluster)).toEqual([]);
  });

  it('deletes objects whose owner is already gone when the cluster settles', async () => {
    const cluster = fakeCluster();
    const child = owned('late', aConfigMap({ name: 'gone' }));
    await cluster.create(configMapType, child);
    expect(namesIn(cluster)).toEqual(['late']);
    await cluster.settle();
    expect(namesIn(cluster)).toEqual([]);
  });

  it('makes a foreground deletion wait for blocking dependents', async () => {
    const owner = aConfigMap({ name: 'owner' });
    const child = owned('child', owner, true);
    child.metadata.finalizers = ['lateen.dev/hold'];
    const cluster = fakeCluster({ objects: [owner, child] });
    await cluster.delete(configMapType, at('owner'), { propagationPolicy: 'Foreground' });
    expect(cluster.find(configMapType, at('owner'))?.metadata).toMatchObject({ finalizers: ['foregroundDeletion'] });
    expect(cluster.find(configMapType, at('child'))?.metadata.deletionTimestamp).toBeDefined();
    await cluster.patch(configMapType, at('child'), { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(namesIn(cluster)).toEqual([]);
  });

  it('removes the owner references on an orphaning deletion', async () => {
    const owner = aConfigMap({ name: 'owner' });
    const cluster = fakeCluster({ objects: [owner, owned('child', owner)] });
    await cluster.delete(configMapType, at('owner'), { propagationPolicy: 'Orphan' });
    await cluster.settle();
    expect(namesIn(cluster)).toEqual(['child']);
    expect(cluster.find(configMapType, at('child'))?.metadata).not.toHaveProperty('ownerReferences');
  });

  it('can be turned off, as with an API server alone', async () => {
    const owner = aConfigMap({ name: 'owner' });
    const cluster = fakeCluster({ objects: [owner, owned('child', owner)], garbageCollection: false });
    await cluster.delete(configMapType, at('owner'));
    await cluster.settle();
    expect(namesIn(cluster)).toEqual(['child']);
  });
});

describe('the simulated namespace controller', () => {
  it('removes a namespace once its content is gone, and rejects new objects meanwhile', async () => {
    const held = aConfigMap({ name: 'held', namespace: 'app', finalizers: ['lateen.dev/hold'] });
    const cluster = fakeCluster({
      objects: [aNamespace({ name: 'app' }), held, aConfigMap({ name: 'free', namespace: 'app' })],
    });
    await cluster.delete(namespaceType, { name: 'app' });
    expect(cluster.find(namespaceType, { name: 'app' })?.status).toEqual({ phase: 'Terminating' });
    expect(cluster.all(configMapType, 'app').map((each) => each.metadata.name)).toEqual(['held']);
    const late = cluster.create(configMapType, aConfigMap({ name: 'late', namespace: 'app' }));
    await expect(late).rejects.toThrow('because it is being terminated');
    await cluster.patch(
      configMapType,
      { namespace: 'app', name: 'held' },
      { type: 'merge', body: { metadata: { finalizers: [] } } },
    );
    expect(cluster.find(namespaceType, { name: 'app' })).toBeUndefined();
  });
});

describe('the simulated kubelet', () => {
  it('keeps a deleted pod on a node until the test ends it, when pods are graceful', async () => {
    const running = aPod({ name: 'runs', phase: 'Running', nodeName: 'n' });
    const waiting = aPod({ name: 'waits', phase: 'Pending' });
    const cluster = fakeCluster({ objects: [running, waiting], gracefulPods: true });
    for (const name of ['runs', 'waits']) await cluster.delete(podType, at(name));
    expect(cluster.all(podType).map((pod) => [pod.metadata.name, pod.metadata.deletionGracePeriodSeconds])).toEqual([
      ['runs', 30],
    ]);
    cluster.remove(podType, at('runs'));
    expect(cluster.all(podType)).toEqual([]);
  });

  it('reports why a pod waits and how it ended', async () => {
    const cluster = fakeCluster({ objects: [aPod({ name: 'p' })] });
    const waiting = { reason: 'ImagePullBackOff', message: 'no such image' };
    cluster.setPodPhase(at('p'), 'Pending', { waiting, conditions: [{ type: 'PodScheduled', status: 'True' }] });
    expect(cluster.find(podType, at('p'))?.status).toMatchObject({
      conditions: [{ type: 'PodScheduled' }],
      containerStatuses: [{ state: { waiting } }],
    });
    cluster.setPodPhase(at('p'), 'Failed', {
      reason: 'Evicted',
      message: 'disk pressure',
      exitCode: 137,
      containerReason: 'OOMKilled',
    });
    expect(cluster.find(podType, at('p'))?.status).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      containerStatuses: [{ state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } }],
    });
    expect(() => cluster.setPodPhase(at('q'), 'Running')).toThrow('there is no Pod velero/q');
  });
});

describe('injected faults', () => {
  it('drop events to watchers while the state changes', async () => {
    const cluster = fakeCluster({ objects: [aConfigMap({ name: 'a' })] });
    const { resourceVersion } = await cluster.list(configMapType);
    const off = cluster.dropEvents((event) => event.entry.key.name === 'a');
    cluster.put(aConfigMap({ name: 'a', data: { v: '1' } }), aConfigMap({ name: 'b' }));
    const seen: string[] = [];
    for await (const event of cluster.watch(configMapType, { resourceVersion, timeoutSeconds: 60 })) {
      seen.push(event.type === 'BOOKMARK' ? 'BOOKMARK' : `${event.type} ${event.object.metadata.name}`);
      break;
    }
    off();
    expect(seen).toEqual(['ADDED b']);
  });

  it('change and remove objects without a call', async () => {
    const cluster = fakeCluster({ objects: [aConfigMap({ name: 'a', finalizers: ['lateen.dev/hold'] })] });
    cluster.change(configMapType, at('a'), (object) => {
      object.data = { v: '2' };
    });
    expect(cluster.find(configMapType, at('a'))?.data).toEqual({ v: '2' });
    expect(() => cluster.change(configMapType, at('b'), () => {})).toThrow('no ConfigMap velero/b');
    cluster.remove(configMapType, at('a'));
    expect(cluster.everything().map((each) => each.kind)).toEqual(['Namespace', 'Namespace', 'Namespace']);
    expect(cluster.calls).toEqual([]);
  });

  it('release an aborted caller at once, even while an interceptor holds the call', async () => {
    const cluster = fakeCluster();
    cluster.intercept(async (_call, next) => {
      await cluster.clock.sleep(60_000);
      return next();
    });
    const stop = new AbortController();
    const call = cluster.list(configMapType, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });
});
