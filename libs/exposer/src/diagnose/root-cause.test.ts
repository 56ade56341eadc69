import type { CoreEvent, Pod } from '@lateen/api-types';
import {
  aNode,
  aPersistentVolumeClaim,
  aPod,
  aStorageClass,
  aVolumeSnapshot,
  aVolumeSnapshotContent,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { ExposureSeen } from './exposure-seen.ts';
import { rootCause } from './root-cause.ts';

const owner = 'velero/upload';
const anEvent = (kind: string, reason: string, message: string, lastTimestamp = '2030-01-01T00:00:00Z'): CoreEvent => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { namespace: 'velero', name: `${kind}-${reason}` },
  involvedObject: { kind, namespace: 'velero', name: 'upload' },
  reason,
  message,
  lastTimestamp,
});
const pending = aPersistentVolumeClaim({ namespace: 'velero', name: 'upload', storage: '1Gi' });
const bound = aPersistentVolumeClaim({ namespace: 'velero', name: 'upload', volumeName: 'pv' });
const immediate = aStorageClass();
const onDemand = aStorageClass({ volumeBindingMode: 'WaitForFirstConsumer' });
const unscheduled = (message: string): Pod =>
  aPod({
    name: 'upload',
    status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }] },
  });
const gated = aPod({
  name: 'upload',
  spec: { schedulingGates: [{ name: 'lateen.dev/volume-bound' }] },
  status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
});
const waiting = (reason: string, message?: string): Pod =>
  aPod({
    name: 'upload',
    nodeName: 'node-1',
    status: {
      containerStatuses: [{ name: 'u', state: { waiting: message === undefined ? { reason } : { reason, message } } }],
    },
  });
const deadNode = {
  name: 'node-1',
  node: aNode({
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
        },
      ],
    },
  }),
};

describe('the root cause of an exposure that is not ready', () => {
  const rows: [
    string,
    Omit<ExposureSeen, 'owner' | 'events'> & { events?: readonly CoreEvent[] },
    string | undefined,
  ][] = [
    ['nothing is known', {}, undefined],
    [
      'the snapshot failed; that the claim is pending follows from it',
      {
        snapshot: aVolumeSnapshot({ readyToUse: false, status: { error: { message: 'no space' } } }),
        claim: pending,
      },
      'VolumeSnapshot app/snapshot is not ready: no space. Make room on the storage behind the CSI driver.',
    ],
    [
      'an old error of a snapshot that is ready by now is no cause',
      { snapshot: aVolumeSnapshot({ status: { error: { message: 'was slow' } } }) },
      undefined,
    ],
    [
      'only the content knows what the driver said',
      {
        snapshot: aVolumeSnapshot({ readyToUse: false }),
        content: aVolumeSnapshotContent({ status: { readyToUse: false, error: { message: 'driver said no' } } }),
      },
      'VolumeSnapshot app/snapshot is not ready: driver said no',
    ],
    [
      'the volume cannot be made; the latest word counts, and the pod only waits for it',
      {
        claim: pending,
        storageClass: immediate,
        pod: unscheduled('0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.'),
        events: [
          anEvent('PersistentVolumeClaim', 'ProvisioningFailed', 'late', '2030-01-01T00:01:00Z'),
          anEvent('PersistentVolumeClaim', 'ProvisioningFailed', 'early'),
        ],
      },
      'volume of PersistentVolumeClaim velero/upload cannot be provisioned: late',
    ],
    [
      'the pod waits for its claim, for which nobody does anything',
      {
        claim: pending,
        storageClass: immediate,
        pod: unscheduled('0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.'),
      },
      'PersistentVolumeClaim velero/upload has no volume yet (StorageClass lateen): no provisioner of csi.lateen.dev has started to create it. Check that the CSI driver csi.lateen.dev runs with its csi-provisioner, and its log.',
    ],
    [
      'the claim waits for the pod, for which there is no node',
      { claim: pending, storageClass: onDemand, pod: unscheduled('0/1 nodes are available: 1 Insufficient memory.') },
      'hosting pod velero/upload is not scheduled: 0/1 nodes are available: 1 Insufficient memory. Free resources on a node, or request less with podResources in the node-agent configuration.',
    ],
    [
      'a gated pod is a symptom of its claim',
      {
        claim: pending,
        storageClass: immediate,
        pod: gated,
        events: [anEvent('PersistentVolumeClaim', 'Provisioning', 'External provisioner is provisioning volume')],
      },
      'PersistentVolumeClaim velero/upload has no volume yet (StorageClass lateen): the provisioner of csi.lateen.dev is working on it. Check the log of the CSI driver if this takes long.',
    ],
    [
      'the image is missing',
      { pod: waiting('ErrImageNeverPull') },
      'hosting pod velero/upload cannot start: ErrImageNeverPull. Make image localhost/lateen:dev available on node node-1, where the node-agent runs it.',
    ],
    [
      'a back-off is explained by what the registry said',
      {
        pod: waiting('ImagePullBackOff', 'Back-off pulling image "x"'),
        events: [
          anEvent('Pod', 'Failed', 'Failed to pull image "x": manifest unknown'),
          anEvent('Pod', 'Failed', 'Error: ImagePullBackOff', '2030-01-01T00:01:00Z'),
        ],
      },
      'hosting pod velero/upload cannot start: ImagePullBackOff: Back-off pulling image "x": Failed to pull image "x": manifest unknown. Make image localhost/lateen:dev available on node node-1, where the node-agent runs it.',
    ],
    [
      'the volume cannot be mounted',
      { pod: waiting('ContainerCreating'), claim: bound, events: [anEvent('Pod', 'FailedMount', 'wrong fs type')] },
      'hosting pod velero/upload cannot mount its volume: wrong fs type. Check the file system of the source volume, and that the kernel of the node knows it.',
    ],
    [
      'the node is not ready; that its volume is not mounted follows from it',
      { pod: waiting('ContainerCreating'), node: deadNode, events: [anEvent('Pod', 'FailedMount', 'slow')] },
      'hosting pod velero/upload does not start: node node-1 is not ready: Kubelet stopped posting node status. Check node node-1 and its kubelet.',
    ],
    [
      'the volume has to be made on a node that is not ready',
      { claim: pending, storageClass: onDemand, node: deadNode },
      'PersistentVolumeClaim velero/upload has no volume yet: node node-1 is not ready: Kubelet stopped posting node status. Check node node-1 and its kubelet.',
    ],
    [
      'the node of the pod is gone',
      { node: { name: 'node-1' }, claim: bound, pod: waiting('ContainerCreating') },
      'hosting pod velero/upload does not start: node node-1 is not there any more. Start again: it is then prepared on another node.',
    ],
    [
      'a call is refused again and again',
      { claim: bound, refused: { cause: 'failed calling webhook "w"', nextStep: 'Repair it.' } },
      'failed calling webhook "w". Repair it.',
    ],
    [
      'a container waits for something out of the ordinary',
      { claim: bound, pod: waiting('CreateContainerConfigError', 'secret "cloud" not found') },
      'hosting pod velero/upload cannot start: CreateContainerConfigError: secret "cloud" not found. Create it, or correct the DaemonSet: hosting pods take environment and volumes over from DaemonSet node-agent.',
    ],
    [
      'nobody says anything about the claim, and its class cannot be read',
      { claim: pending, events: [anEvent('Pod', 'Pulled', 'x')] },
      'PersistentVolumeClaim velero/upload has no volume yet (StorageClass lateen). Check that the StorageClass exists and that its provisioner runs.',
    ],
    [
      'no scheduler looks at the pod',
      { claim: bound, pod: aPod({ name: 'upload' }) },
      'hosting pod velero/upload has no node, and no scheduler has handled it. Check that kube-scheduler runs.',
    ],
    [
      'all is well and takes its time',
      { claim: bound, pod: waiting('ContainerCreating') },
      'hosting pod velero/upload is being started on node node-1. Check the kubelet and the CSI driver of node node-1 if this takes long.',
    ],
    ['a bound claim is not waited for', { claim: bound }, undefined],
  ];
  it.each(rows)('%s', (_, seen, expected) => {
    expect(rootCause({ owner, events: [], ...seen })).toBe(expected);
  });
});

describe('a snapshot that is not ready and has no error names the component that has to act', () => {
  it.each([
    [
      aVolumeSnapshot({ readyToUse: false, content: undefined }),
      undefined,
      'no VolumeSnapshotContent is bound to it. Check that the snapshot controller (snapshot-controller) runs, and its log.',
    ],
    [
      aVolumeSnapshot({ readyToUse: false }),
      undefined,
      'its VolumeSnapshotContent content does not exist. Take a new snapshot.',
    ],
    [
      aVolumeSnapshot({ readyToUse: false }),
      aVolumeSnapshotContent({ status: { snapshotHandle: '', readyToUse: false } }),
      'CSI driver csi.lateen.dev has not taken it yet. Check that the csi-snapshotter of driver csi.lateen.dev runs, and its log.',
    ],
    [
      aVolumeSnapshot({ readyToUse: false, status: { creationTime: '2030-01-01T00:00:00Z' } }),
      aVolumeSnapshotContent({ status: { readyToUse: false } }),
      'CSI driver csi.lateen.dev has taken it, but does not call it ready to use yet: taken at 2030-01-01T00:00:00Z. Some storage systems first copy a snapshot elsewhere: check the storage, and wait.',
    ],
  ])('case %#', (snapshot, content, expected) => {
    expect(rootCause({ owner, snapshot, content, events: [] })).toBe(
      `VolumeSnapshot app/snapshot is not ready: ${expected}`,
    );
  });
});

describe('a restore whose target waits for its consumer', () => {
  const target = aPersistentVolumeClaim();
  const about = (reason: string, message: string, lastTimestamp: string): CoreEvent => ({
    ...anEvent('PersistentVolumeClaim', reason, message, lastTimestamp),
    involvedObject: { kind: 'PersistentVolumeClaim', namespace: 'app', name: 'data' },
  });
  const refusal = about(
    'ProvisioningFailed',
    'failed to provision volume: claim Selector is not supported',
    '2030-01-01T00:09:00Z',
  );
  it.each([
    [
      'without a consumer',
      [
        about(
          'WaitForFirstConsumer',
          'waiting for first consumer to be created before binding',
          '2030-01-01T00:00:00Z',
        ),
      ],
      'Target PVC app/data waits until a pod that uses it is given a node, and there is none. Start the workload that uses it.',
    ],
    [
      "with a consumer that has no node; the provisioner's message about the selector is ignored",
      [about('WaitForPodScheduled', 'waiting for pod web-0 to be scheduled', '2030-01-01T00:00:00Z'), refusal],
      'Target PVC app/data waits until a pod that uses it is given a node: waiting for pod web-0 to be scheduled. See with kubectl describe why that pod is not scheduled.',
    ],
  ])('%s', (_, events, expected) => {
    expect(rootCause({ owner, target, targetClass: onDemand, events })).toBe(expected);
  });
  it('is reported without details when Events may not be read', () => {
    expect(rootCause({ owner, target, targetClass: onDemand, events: [] })).toBe(
      'Target PVC app/data waits until a pod that uses it is given a node. Start the workload that uses it, and see that it can be scheduled.',
    );
  });
  it('is not reported when its class binds immediately', () => {
    expect(rootCause({ owner, target, targetClass: immediate, events: [refusal] })).toBeUndefined();
  });
});
