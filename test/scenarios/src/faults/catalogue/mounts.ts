import type { Fault } from '../fault.ts';
import { nodeIsSilent, told, waits } from '../injections.ts';

const notMounted = (name: string, reason: string, words: string, nextStep: string): Fault => ({
  name,
  direction: 'upload',
  setUp: (world) => {
    world.kubelet.behaviour = 'hold';
  },
  inject: async (world) => {
    waits(world, 'ContainerCreating');
    told(world, 'pod', reason, words);
    await world.clock.advance(5_000);
    told(
      world,
      'pod',
      'FailedMount',
      'Unable to attach or mount volumes: unmounted volumes=[x], unattached volumes=[], failed to process volumes=[]: context deadline exceeded',
      'kubelet',
    );
  },
  ends: 'stuck',
  message: `hosting pod velero/upload cannot ${reason === 'FailedAttachVolume' ? 'attach' : 'mount'} its volume: ${words}${nextStep === '' ? '' : `. ${nextStep}`}`,
});

/** The volume exists and cannot be mounted into the pod. */
export const mountFaults: readonly Fault[] = [
  notMounted(
    'the volume is attached to another node',
    'FailedAttachVolume',
    'Multi-Attach error for volume "pv-1" Volume is already exclusively attached to one node and can\'t be attached to another',
    'The volume is attached to another node: see which pod uses it there.',
  ),
  notMounted(
    'the file system of the copy cannot be mounted',
    'FailedMount',
    'MountVolume.MountDevice failed for volume "pv-1" : rpc error: code = Internal desc = mount failed: exit status 32: wrong fs type, bad option, bad superblock on /dev/sdb',
    'Check the file system of the source volume, and that the kernel of the node knows it.',
  ),
  notMounted(
    'the CSI driver is not on the node',
    'FailedMount',
    'MountVolume.MountDevice failed for volume "pv-1" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name csi.lateen.dev not found in the list of registered CSI drivers',
    "Check that the CSI driver's pod runs on that node.",
  ),
  notMounted(
    'a Secret that the DaemonSet mounts does not exist',
    'FailedMount',
    'MountVolume.SetUp failed for volume "cloud-credentials" : secret "cloud-credentials" not found',
    'Create it, or correct the DaemonSet: hosting pods take environment and volumes over from DaemonSet node-agent.',
  ),
  notMounted(
    'the service account was deleted after the pod was made',
    'FailedMount',
    'MountVolume.SetUp failed for volume "kube-api-access-x" : failed to fetch token: serviceaccounts "velero" not found',
    'Create the ServiceAccount again (deploy/base/node-agent).',
  ),
  {
    name: 'the node goes away while the pod is being started',
    direction: 'upload',
    setUp: (world) => {
      world.kubelet.behaviour = 'hold';
    },
    inject: (world) => {
      waits(world, 'ContainerCreating');
      nodeIsSilent(world, 'node-1');
    },
    ends: 'stuck',
    message:
      'hosting pod velero/upload does not start: node node-1 is not ready: Kubelet stopped posting node status. Check node node-1 and its kubelet.',
  },
  {
    name: 'the network plugin of the node is broken',
    direction: 'upload',
    setUp: (world) => {
      world.kubelet.behaviour = 'hold';
    },
    inject: (world) => {
      waits(world, 'ContainerCreating');
      told(
        world,
        'pod',
        'FailedCreatePodSandBox',
        'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "0a": plugin type="bridge" failed (add): no free addresses',
        'kubelet',
      );
    },
    ends: 'stuck',
    message:
      'hosting pod velero/upload cannot start: Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "0a": plugin type="bridge" failed (add): no free addresses. Check the network plugin and the container runtime of node node-1.',
  },
  {
    name: 'a kubelet does nothing and says nothing',
    direction: 'upload',
    setUp: (world) => {
      world.kubelet.behaviour = 'hold';
    },
    inject: (world) => waits(world, 'ContainerCreating'),
    ends: 'stuck',
    message:
      'hosting pod velero/upload is being started on node node-1. Check the kubelet and the CSI driver of node node-1 if this takes long.',
  },
];
