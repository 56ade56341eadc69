import { type Pod, podType } from '@lateen/api-types';
import type { World } from '../../world/world.ts';
import type { Fault } from '../fault.ts';
import { disrupted, made, podEnds } from '../injections.ts';

/** The pod is lost while the mover runs, and no other attempt is allowed. */
const lost = (name: string, words: string, inject: (world: World) => void): Fault => ({
  name,
  direction: 'upload',
  setUp: (world) => {
    world.mover.script = 'hang';
    world.limits = { ...world.limits, attempts: 1 };
  },
  inject,
  ends: 'failed',
  message: `data path backup failed: pod velero/upload ${words}`,
});

/** The pod is lost before the mover runs. */
const lostBefore = (name: string, words: string, inject: (world: World) => void): Fault => ({
  name,
  direction: 'upload',
  setUp: (world) => {
    world.kubelet.behaviour = 'hold';
    world.limits = { ...world.limits, attempts: 1 };
  },
  inject,
  ends: 'failed',
  message: `pod velero/upload ${words}`,
});

const lowMemory =
  'The node was low on resource: memory. Threshold quantity: 100Mi, available: 40Mi. Container u was using 900Mi, request is 0, has larger consumption of memory. ';
const notAdmitted =
  "Pod was rejected: Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000";
const moreMemory = 'Give data movers more memory: podResources in the node-agent configuration.';
const room = 'Free resources on the node, or set requests with podResources in the node-agent configuration.';
const node = 'Check that the node is Ready and its kubelet runs.';
const kubelet = 'Check the log of the kubelet of that node, and the load of the node.';
const kernel = 'Check what ends processes on that node; its kernel log names those that the kernel has ended.';
const gone = 'was deleted before it ended';

const deleted = (world: World): void => {
  world.cluster.remove(podType, made(world));
};

/** The state of the ended container, as the kubelet reports it. */
function containerEnds(world: World, exitCode: number, signal: number, podStatus: object): void {
  world.cluster.change<Pod>(podType, made(world), (pod) => {
    const name = pod.spec.containers[0]?.name ?? '';
    const state = { terminated: { exitCode, signal, reason: 'Error' } };
    pod.status = { ...pod.status, ...podStatus, phase: 'Failed', containerStatuses: [{ name, state }] };
  });
}

/** Causes outside the mover that end it. The data is fine, and with attempts left the movement would start again. */
export const lossFaults: readonly Fault[] = [
  lost(
    'the mover is OOM killed',
    `failed: its container ended with exit code 137 (OOMKilled). ${moreMemory}`,
    (world) => {
      world.cluster.setPodPhase(made(world), 'Failed', { exitCode: 137, containerReason: 'OOMKilled' });
    },
  ),
  lost('the node is low on memory', `failed: Evicted: ${lowMemory.trim()} ${room}`, (world) =>
    podEnds(world, 'Evicted', lowMemory),
  ),
  lost(
    'the mover is evicted by the eviction API',
    `${gone}: the kubelet or the eviction API evicted the pod. ${room}`,
    (world) => {
      disrupted(world, 'EvictionByEvictionAPI', 'Eviction API: evicting');
      deleted(world);
    },
  ),
  lost(
    'the mover is preempted by a pod of higher priority',
    `${gone}: a pod of higher priority took its place. Give data movers a priority: priorityClassName in the node-agent configuration.`,
    (world) => {
      disrupted(world, 'PreemptionByScheduler', 'default-scheduler: preempting to accommodate a higher priority pod');
      deleted(world);
    },
  ),
  lost('the node is lost', `${gone}: the node shut down, crashed or no longer reports. ${node}`, (world) => {
    disrupted(world, 'DeletionByTaintManager', 'Taint manager: deleting due to NoExecute taint');
    deleted(world);
  }),
  lost(
    'the node is shut down',
    `failed: Terminated: Pod was terminated in response to imminent node shutdown. ${node}`,
    (world) => podEnds(world, 'Terminated', 'Pod was terminated in response to imminent node shutdown.'),
  ),
  lost('somebody deletes the pod', `${gone}. Find out who deletes pods there, then start again.`, deleted),
  lost(
    'the mover is killed by a signal',
    `failed: its container ended with exit code 137, by signal SIGKILL. ${kernel}`,
    (world) => containerEnds(world, 137, 9, {}),
  ),
  lost(
    'somebody has given the pod a deadline',
    `failed: DeadlineExceeded: Pod was active on the node longer than the specified deadline. ${kernel}`,
    (world) =>
      containerEnds(world, 137, 0, {
        reason: 'DeadlineExceeded',
        message: 'Pod was active on the node longer than the specified deadline',
      }),
  ),
  lostBefore('the pod is evicted before it runs', `failed: Evicted: ${lowMemory.trim()} ${room}`, (world) =>
    podEnds(world, 'Evicted', lowMemory),
  ),
  lostBefore('the kubelet does not admit the pod', `failed: OutOfcpu: ${notAdmitted}. ${kubelet}`, (world) =>
    podEnds(world, 'OutOfcpu', notAdmitted),
  ),
  {
    ...lost('the mover is OOM killed in each of three attempts', '', () => {}),
    setUp: (world) => {
      world.mover.script = 'killed';
    },
    message: `data path backup failed: pod velero/upload failed: its container ended with exit code 137 (OOMKilled). ${moreMemory} (attempt 3 of 3)`,
  },
];
