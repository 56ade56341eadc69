import type { World } from '../../world/world.ts';
import type { Fault } from '../fault.ts';
import { told, unschedulable } from '../injections.ts';

/** kube-scheduler 1.34 adds this to every answer. */
const tail =
  ' no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.';
const noNode = (name: string, words: string, nextStep: string): Fault => ({
  name,
  direction: 'upload',
  setUp: (world) => {
    world.kubelet.behaviour = 'hold';
  },
  inject: (world) => unschedulable(world, `0/3 nodes are available: ${words}.${tail}`),
  ends: 'stuck',
  message: `hosting pod velero/upload is not scheduled: 0/3 nodes are available: ${words}. ${nextStep}`,
});

const room = 'Free resources on a node, or request less with podResources in the node-agent configuration.';
const restoreHold = (world: World) => {
  world.kubelet.behaviour = 'hold';
};

/** The hosting pod finds no node. */
export const schedulingFaults: readonly Fault[] = [
  noNode(
    'no node matches the affinity',
    "3 node(s) didn't match Pod's node affinity/selector",
    'Compare loadAffinity in the node-agent configuration with the labels of the nodes.',
  ),
  noNode('no node has the cpu', '3 Insufficient cpu', room),
  noNode('no node has the memory', '2 Insufficient memory, 1 node(s) had untolerated taint(s)', room),
  noNode(
    'every node has a taint',
    '3 node(s) had untolerated taint(s)',
    "Remove the taint from a node that may move data; data movers do not take over the node-agent's tolerations.",
  ),
  noNode(
    'the volume is on a node that takes no pods',
    "1 node(s) were unschedulable, 2 node(s) didn't match PersistentVolume's node affinity",
    'The volume can be reached from some nodes only: see that one of them is ready, not cordoned and has room for the pod.',
  ),
  noNode(
    'every node has as many pods as it may have',
    '3 Too many pods',
    'Let pods of the node end, or raise maxPods of its kubelet.',
  ),
  noNode('every node is cordoned', '3 node(s) were unschedulable', 'Uncordon a node with kubectl uncordon.'),
  noNode(
    'the CSI driver allows no more volumes on any node',
    '3 node(s) exceed max volume count',
    'The node holds as many volumes as its CSI driver allows: let other movements end first.',
  ),
  {
    name: 'no scheduler runs',
    direction: 'upload',
    setUp: (world) => {
      world.kubelet.behaviour = 'hold';
    },
    ends: 'stuck',
    message: 'hosting pod velero/upload has no node, and no scheduler has handled it. Check that kube-scheduler runs.',
  },
  {
    name: 'the restore pod finds no node, after the scheduler has waited for its claim',
    direction: 'download',
    setUp: restoreHold,
    inject: async (world) => {
      unschedulable(world, '0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found');
      await world.clock.advance(2_000);
      unschedulable(world, `0/3 nodes are available: 3 Insufficient memory.${tail}`);
      told(world, 'pod', 'NotTriggerScaleUp', "pod didn't trigger scale-up: 1 max node group size reached");
    },
    ends: 'stuck',
    message: `hosting pod velero/download is not scheduled: 0/3 nodes are available: 3 Insufficient memory. ${room}`,
  },
];
