import { labels, podType } from '@lateen/api-types';
import { aPodVolumeRestore } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { podRestoreWorld, waitingPod } from '../world/movement-worlds.ts';
import { thePodVolumeRestore, untilConcluded, untilPhase, withAgents } from '../world/run-world.ts';

type World = ReturnType<typeof podRestoreWorld>;

const client = { namespace: 'app', name: 'db' };
const concluded = (world: World, withinMs?: number) => untilConcluded(world, thePodVolumeRestore, withinMs);
const hostingPods = (world: World): string[] =>
  world.cluster
    .all(podType, 'velero')
    .filter((pod) => pod.metadata.labels?.[labels.exposerPodGroup] !== undefined)
    .map((pod) => `${pod.metadata.name} on ${pod.spec.nodeName}`);

const twoVolumes = {
  volumes: [
    { name: 'data', emptyDir: {} },
    { name: 'logs', emptyDir: {} },
  ],
  containers: [
    {
      name: 'main',
      volumeMounts: [
        { name: 'data', mountPath: '/data' },
        { name: 'logs', mountPath: '/logs' },
      ],
    },
  ],
};

describe('a PodVolumeRestore', () => {
  it('runs on the node where its pod waits, reports its throughput, and leaves nothing', async () => {
    const world = withAgents(
      podRestoreWorld({}, aPodVolumeRestore(), waitingPod({ nodeName: 'node-2' })),
      'node-1',
      'node-2',
    );
    await concluded(world);
    expect(world.phases.get('PodVolumeRestore/restore')).toEqual([
      'New',
      'Accepted',
      'Prepared',
      'InProgress',
      'Completed',
    ]);
    const restore = world.podVolumeRestore();
    expect(restore?.status).toMatchObject({
      node: 'node-2',
      progress: { totalBytes: 1_000, bytesDone: 1_000 },
      throughput: { reader: 'packs', limitedBy: 'store-latency' },
    });
    expect(restore?.metadata.finalizers ?? []).toEqual([]);
    expect(hostingPods(world)).toEqual([]);
    expect(world.ended).toEqual(['node-2 pod volume restore Completed']);
  });

  it('is Completed when its mover reports that, with a message when the pod then fails', async () => {
    const world = podRestoreWorld({}, aPodVolumeRestore(), waitingPod({ nodeName: 'node-2' }));
    world.mover.script = 'completeAndStay';
    withAgents(world, 'node-2');
    await world.until(() => world.podVolumeRestore()?.status?.phase === 'Completed');
    expect(world.podVolumeRestore()?.status?.message).toBeUndefined();
    const pod = { namespace: 'velero', name: 'restore' };
    world.cluster.setPodPhase(pod, 'Failed', { terminationMessage: 'segmentation fault' });
    await concluded(world);
    expect(world.podVolumeRestore()?.status).toMatchObject({
      phase: 'Completed',
      message:
        'the mover reported that the restore is complete, but the end of its pod says otherwise: segmentation fault (after it had reported completion). Check the volume before you rely on it, or restore again.',
    });
    expect(hostingPods(world)).toEqual([]);
  });

  it.each(['restore-wait', 'restic-wait'])('starts only when the init container %s of its pod runs', async (waiter) => {
    const waiting = { name: waiter, state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } };
    const spec = { initContainers: [{ name: waiter }] };
    const pod = waitingPod({ spec, status: { initContainerStatuses: [waiting] } });
    const world = withAgents(podRestoreWorld({}, aPodVolumeRestore(), pod), 'node-1', 'node-2');
    await world.clock.advance(60_000);
    expect(world.podVolumeRestore()?.status).toEqual({
      message: `waiting: ${waiter} of pod app/db does not run: ImagePullBackOff: no such image`,
    });
    world.cluster.put(
      waitingPod({ spec, status: { initContainerStatuses: [{ name: waiter, state: { running: {} } }] } }),
    );
    await concluded(world);
    expect(world.podVolumeRestore()?.status).toMatchObject({ phase: 'Completed' });
    expect(world.podVolumeRestore()?.status?.message).toBeUndefined();
  });

  it('starts when its pod is scheduled, and reports until then why it is not', async () => {
    const unscheduled = { type: 'PodScheduled', status: 'False', message: '0/2 nodes are available' } as const;
    const pod = waitingPod({ status: { initContainerStatuses: [], conditions: [unscheduled] } });
    delete pod.spec.nodeName;
    const world = withAgents(podRestoreWorld({}, aPodVolumeRestore(), pod), 'node-1', 'node-2');
    await world.clock.advance(60_000);
    expect(world.podVolumeRestore()?.status?.message).toBe(
      'waiting: pod app/db is not scheduled: 0/2 nodes are available',
    );
    world.cluster.put(waitingPod({ nodeName: 'node-2' }));
    await concluded(world);
    expect(world.podVolumeRestore()?.status).toMatchObject({ phase: 'Completed', node: 'node-2' });
  });

  it('reports that the node of its pod has no node-agent, and continues when it has one', async () => {
    const world = withAgents(podRestoreWorld({}, aPodVolumeRestore(), waitingPod({ nodeName: 'node-2' })));
    await world.clock.advance(60_000);
    expect(world.podVolumeRestore()?.status?.message).toContain(
      'waiting: node node-2, where pod app/db is, has no running node-agent',
    );
    world.startAgent('node-2');
    await concluded(world);
    expect(world.podVolumeRestore()?.status).toMatchObject({ phase: 'Completed', node: 'node-2' });
  });

  it.each([
    ['is gone', (world: World) => world.cluster.remove(podType, client), 'does not exist any more'],
    ['has another uid', (world: World) => world.cluster.put(waitingPod({ uid: 'new' })), 'is another one now'],
    ['has ended', (world: World) => world.cluster.setPodPhase(client, 'Failed'), 'has ended (Failed)'],
  ])('that was not started fails when its pod %s', async (_title, go, cause) => {
    const world = podRestoreWorld();
    go(world);
    withAgents(world, 'node-1', 'node-2');
    await concluded(world, 120_000);
    expect(world.podVolumeRestore()?.status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining(`pod app/db ${cause}`),
    });
  });

  it('stops its mover when its pod is deleted, because no pod would use the data', async () => {
    const world = withAgents(podRestoreWorld());
    world.mover.script = 'hang';
    await untilPhase(world, 'InProgress', thePodVolumeRestore);
    world.cluster.remove(podType, client);
    await concluded(world);
    expect(world.podVolumeRestore()?.status).toMatchObject({
      phase: 'Failed',
      message: 'pod app/db does not exist any more. Start the restore again: it creates the pod again.',
    });
    expect(hostingPods(world)).toEqual([]);
  });

  it.each([
    ['an earlier attempt', {}, 'pod app/db has begun, and nothing is written into a volume in use'],
    ['nothing', { annotations: { 'lateen.dev/start-without-data': 'true' } }, 'pod app/db has begun without its data'],
  ])('writes nothing into a pod that has already started, with the data of %s', async (_title, metadata, cause) => {
    const world = podRestoreWorld({ extra: [aPodVolumeRestore({ name: 'logs', spec: { volume: 'logs' } })] });
    world.cluster.put(waitingPod({ spec: twoVolumes }));
    withAgents(world);
    world.mover.script = 'hang';
    const phases = () => ['restore', 'logs'].map((name) => world.podVolumeRestore(name)?.status?.phase).sort();
    await world.until(() => phases().join() === 'InProgress,Prepared');
    const hasWaited = { name: 'restore-wait', state: { terminated: { exitCode: 0 } } };
    world.cluster.put(
      waitingPod({ metadata, spec: twoVolumes, phase: 'Running', status: { initContainerStatuses: [hasWaited] } }),
    );
    await world.until(() => phases().includes('Failed'));
    await world.rest();
    const failed = ['restore', 'logs'].map((name) => world.podVolumeRestore(name)?.status);
    // A running mover may have written the data with which the pod started, unless the pod was told to start without data.
    expect(phases()).toEqual(['Failed', 'annotations' in metadata ? 'Failed' : 'InProgress']);
    expect(failed.some((status) => status?.phase === 'Failed' && status.message?.startsWith(cause))).toBe(true);
    await world.stop();
  });

  it('runs in parallel with another one for the same pod, each with its own mover', async () => {
    const world = podRestoreWorld({ extra: [aPodVolumeRestore({ name: 'logs', spec: { volume: 'logs' } })] });
    world.limits = { ...world.limits, slots: 2 };
    world.cluster.put(waitingPod({ spec: twoVolumes }));
    withAgents(world);
    world.mover.script = 'hang';
    await world.until(() => hostingPods(world).length === 2);
    await world.until(() =>
      ['restore', 'logs'].every((name) => world.podVolumeRestore(name)?.status?.phase === 'InProgress'),
    );
    world.mover.script = 'complete';
    await concluded(world);
    await untilConcluded(world, () => world.podVolumeRestore('logs'));
    expect(['restore', 'logs'].map((name) => world.podVolumeRestore(name)?.status?.phase)).toEqual([
      'Completed',
      'Completed',
    ]);
  });
});
