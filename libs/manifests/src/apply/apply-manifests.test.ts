import { fileURLToPath } from 'node:url';
import type { Unstructured } from '@lateen/kube';
import { FakeClock, fakeCluster } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { loadManifests } from '../read/load-manifests.ts';
import { renderManifests } from '../render/render-manifests.ts';
import { type ApplyEvent, applyManifests } from './apply-manifests.ts';
import { typeOf } from './manifest-kinds.ts';

const labels = { app: 'agent' };
const daemonSet: Unstructured = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'velero' },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [] } } },
};
const agentKey = { namespace: 'velero', name: 'agent' };
const signal = new AbortController().signal;

function setUp() {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock });
  /** Simulates the DaemonSet controller. */
  const report = (status: Record<string, number>) =>
    cluster.change<Unstructured>(typeOf(daemonSet), agentKey, (object) => {
      object.status = { observedGeneration: object.metadata.generation, ...status };
    });
  const pod = (waiting: { reason: string; message?: string }) => {
    const metadata = { name: 'agent-x', namespace: 'velero', labels };
    cluster.put({ apiVersion: 'v1', kind: 'Pod', metadata });
    cluster.setPodPhase(metadata, 'Pending', { waiting });
  };
  const apply = (objects: Unstructured[]) => applyManifests(cluster, objects, { signal, clock });
  return { clock, cluster, report, pod, apply };
}

const ready = { desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 1 };

describe('applyManifests', () => {
  it('applies everything in deploy/base in an order in which each object finds its dependencies', async () => {
    const { cluster, apply } = setUp();
    const manifests = await loadManifests(fileURLToPath(new URL('../../../../deploy', import.meta.url)));
    const objects = renderManifests(manifests, { parts: ['csi', 'node-agent', 'controller', 'namespace'] });
    const stages = ['Namespace', 'ClusterRoleBinding', 'StorageClass'];
    await apply(objects.filter(({ kind }) => kind !== 'Deployment' && kind !== 'DaemonSet').reverse());
    const kinds = cluster.calls.filter(({ verb }) => verb === 'patch').map(({ type }) => type.kind);
    const positions = stages.map((kind) => kinds.indexOf(kind));
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect(
      cluster.find(typeOf({ apiVersion: 'v1', kind: 'Namespace', metadata: {} }), { name: 'lateen-csi' }),
    ).toBeDefined();
  });

  it('reports which workloads keep their pods, because their template is unchanged', async () => {
    const { cluster, clock } = setUp();
    const told = async (...objects: Unstructured[]) => {
      const found: [string, string, boolean][] = [];
      const onProgress = (event: ApplyEvent) =>
        event.kind === 'applied' && found.push([event.object, event.change, event.keepsPods]);
      await applyManifests(cluster, objects, { signal, clock, waitForWorkloads: false, onProgress });
      return found;
    };
    const config: Unstructured = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'velero' } };
    const title = 'DaemonSet velero/agent';
    expect(await told(daemonSet)).toEqual([[title, 'created', false]]);
    expect(await told(config, daemonSet)).toContainEqual([title, 'unchanged', true]);
    const named = { ...daemonSet, metadata: { ...daemonSet.metadata, labels: { team: 'a' } } };
    expect(await told(named)).toEqual([[title, 'configured', true]]);
    const spec = structuredClone(daemonSet.spec) as { template: { spec: { containers: object[] } } };
    spec.template.spec.containers.push({ name: 'agent', image: 'r.example/agent:2' });
    expect(await told({ ...named, spec })).toEqual([[title, 'configured', false]]);
  });

  it('ends only when every pod of a workload has the new template and is available', async () => {
    const { cluster, report, apply } = setUp();
    let ended = false;
    const done = apply([daemonSet]).then(() => {
      ended = true;
    });
    await cluster.settle();
    report({ ...ready, numberAvailable: 0 });
    await cluster.settle();
    expect(ended).toBe(false);
    report(ready);
    await done;
  });

  it('gives up on a missing image, and names pod, container and image', async () => {
    const { clock, cluster, report, pod, apply } = setUp();
    const done = apply([daemonSet]);
    const failure = expect(done).rejects.toMatchObject({
      code: 'ROLLOUT_FAILED',
      message: expect.stringMatching(
        /DaemonSet velero\/agent .* velero\/agent-x.*ErrImageNeverPull \(localhost\/gone:1/,
      ),
    });
    await cluster.settle();
    report({ desiredNumberScheduled: 1, updatedNumberScheduled: 1 });
    pod({ reason: 'ErrImageNeverPull', message: 'localhost/gone:1 is not present' });
    await clock.advance(12_000);
    await failure;
  });

  it('reports after the timeout what was missing, and the cause', async () => {
    const { clock, cluster, report, pod, apply } = setUp();
    const done = apply([daemonSet]);
    const failure = expect(done).rejects.toMatchObject({
      code: 'ROLLOUT_TIMED_OUT',
      message: expect.stringContaining('0 of 1 pods are available'),
      cause: expect.objectContaining({ message: expect.stringContaining('CreateContainerConfigError') }),
    });
    await cluster.settle();
    report({ desiredNumberScheduled: 1, updatedNumberScheduled: 1 });
    pod({ reason: 'CreateContainerConfigError', message: 'secret "x" not found' });
    await clock.advance(181_000);
    await failure;
  });

  it('names the object that the API server rejected', async () => {
    const { cluster, apply } = setUp();
    cluster.failOnce('patch', typeOf(daemonSet), 'KUBE_INVALID');
    await expect(apply([daemonSet])).rejects.toMatchObject({
      code: 'DEPLOY_APPLY_FAILED',
      message: expect.stringContaining('DaemonSet velero/agent'),
    });
  });

  it('waits for definitions before it applies other objects', async () => {
    const { clock, cluster, apply } = setUp();
    const crd: Unstructured = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.example.dev' },
      spec: {},
    };
    const account: Unstructured = {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'a', namespace: 'velero' },
    };
    const done = apply([account, crd]);
    await clock.advance(1_000);
    expect(cluster.find(typeOf(account), account.metadata as { name: string })).toBeUndefined();
    cluster.change<Unstructured>(typeOf(crd), { name: 'things.example.dev' }, (object) => {
      object.status = { conditions: [{ type: 'Established', status: 'True' }] };
    });
    await clock.advance(1_000);
    await done;
    expect(cluster.find(typeOf(account), { namespace: 'velero', name: 'a' })).toBeDefined();
  });

  it('rejects an unknown kind before it changes anything', async () => {
    const { cluster, apply } = setUp();
    const job: Unstructured = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', namespace: 'velero' } };
    await expect(apply([daemonSet, job])).rejects.toMatchObject({ code: 'DEPLOY_KIND_UNKNOWN' });
    expect(cluster.calls).toEqual([]);
  });
});
