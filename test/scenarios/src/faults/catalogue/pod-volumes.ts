import { podType } from '@lateen/api-types';
import { aPersistentVolume, aPersistentVolumeClaim } from '@lateen/testing';
import { clientPod, waitingPod } from '../../world/movement-worlds.ts';
import type { Fault } from '../fault.ts';
import { refused, told, waits } from '../injections.ts';

const exposing = 'error exposing the volume of the pod';
const directory = '/var/lib/kubelet/pods/uid-of-pod-db/volumes/kubernetes.io~empty-dir/data';
const startAnew = 'Start a new backup when the pod, or the one in its place, runs.';

const without = ['Pod/db'];
const onClaim = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] };
const aBlockVolume = [
  aPersistentVolumeClaim({ volumeName: 'pv-data', spec: { volumeMode: 'Block' } }),
  aPersistentVolume({ name: 'pv-data', spec: { volumeMode: 'Block' } }),
];

/** Faults that keep the volume of a pod from being read or written. Texts of kubelet and kube-apiserver 1.34. */
export const podVolumeFaults: readonly Fault[] = [
  {
    name: 'the pod does not exist',
    direction: 'pod backup',
    world: { without },
    ends: 'failed',
    message: `${exposing}: pod app/db does not exist any more. ${startAnew}`,
  },
  {
    name: 'the pod has ended',
    direction: 'pod backup',
    world: { without, extra: [clientPod({ phase: 'Succeeded' })] },
    ends: 'failed',
    message: `${exposing}: pod app/db has ended (Succeeded), its volumes are not mounted any more. ${startAnew}`,
  },
  {
    name: 'the pod has no such volume',
    direction: 'pod backup',
    spec: { volume: 'dta' },
    ends: 'failed',
    message: `${exposing}: pod app/db has no volume "dta". Name one that it has: data.`,
  },
  {
    name: 'no container mounts the volume',
    direction: 'pod backup',
    world: { without, extra: [clientPod({ spec: { containers: [{ name: 'main' }] } })] },
    ends: 'failed',
    message: `${exposing}: volume "data" of pod app/db is mounted by none of its containers. Leave it out: there is no data in it that the pod could have written.`,
  },
  {
    name: 'the volume is a block device',
    direction: 'pod backup',
    world: { without, extra: [clientPod({ spec: onClaim }), ...aBlockVolume] },
    ends: 'failed',
    message: `${exposing}: volume "data" of pod app/db is a block device, which has no files. Take it with a CSI snapshot and data movement instead.`,
  },
  {
    name: 'the volume is a path of the node',
    direction: 'pod backup',
    world: { without, extra: [clientPod({ spec: { volumes: [{ name: 'data', hostPath: { path: '/data' } }] } })] },
    ends: 'failed',
    message: `${exposing}: volume "data" is a path of its node, which data movers do not reach. Put the data into a volume with a PersistentVolumeClaim, or leave it out.`,
  },
  {
    name: 'the claim of the volume is gone',
    direction: 'pod restore',
    world: { without, extra: [waitingPod({ spec: onClaim })] },
    ends: 'failed',
    message: `${exposing}: PersistentVolumeClaim app/data has no volume. Check the claim: the pod that mounts it cannot run without one.`,
  },
  {
    name: 'the namespace of movers takes no path of a node',
    direction: 'pod restore',
    setUp: (world) =>
      refused(
        world,
        podType,
        403,
        'Forbidden',
        'pods "restore" is forbidden: violates PodSecurity "baseline:latest": hostPath volumes (volume "u")',
      ),
    ends: 'failed',
    message: `${exposing}: pods "restore" is forbidden: violates PodSecurity "baseline:latest": hostPath volumes (volume "u"). Movers of pod volumes mount a directory of their node: label their namespace pod-security.kubernetes.io/enforce=privileged, or set podVolume.access to "claim-only" in the node-agent configuration.`,
  },
  {
    name: 'the quota allows no mover',
    direction: 'pod restore',
    setUp: (world) =>
      refused(
        world,
        podType,
        403,
        'Forbidden',
        'pods "restore" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=10, limited: pods=10',
      ),
    ends: 'failed',
    message: `${exposing}: pods "restore" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=10, limited: pods=10. Raise ResourceQuota compute, or delete objects that it counts.`,
  },
  ...(['pod backup', 'pod restore'] as const).map(
    (direction): Fault => ({
      name: `the kubelet of the ${direction} has another directory`,
      direction,
      setUp: (world) => {
        world.kubelet.behaviour = 'hold';
      },
      inject: (world) => {
        waits(world, 'ContainerCreating');
        told(
          world,
          'pod',
          'FailedMount',
          `MountVolume.SetUp failed for volume "u" : hostPath type check failed: ${directory} is not a directory`,
          'kubelet',
        );
      },
      ends: 'stuck',
      message: `hosting pod velero/${direction === 'pod backup' ? 'backup' : 'restore'} cannot mount its volume: MountVolume.SetUp failed for volume "u" : hostPath type check failed: ${directory} is not a directory. The node has no such directory for the pod: set podVolume.kubeletDirectory in the node-agent configuration to the root directory of its kubelet (--root-dir).`,
    }),
  ),
];
