import {
  type DaemonSet,
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { aDaemonSet, aVolumeSnapshot, aVolumeSnapshotContent } from '@lateen/testing';
import type { World } from '../../world/world.ts';
import type { Fault } from '../fault.ts';
import { made, told } from '../injections.ts';

const without = ['VolumeSnapshot/snapshot', 'VolumeSnapshotContent/content'];
const notReady = aVolumeSnapshot({ readyToUse: false });
const untaken = aVolumeSnapshotContent({ status: { readyToUse: false, snapshotHandle: '' } });
const is = 'VolumeSnapshot app/snapshot is not ready:';

/** Our copy of the snapshot is bound to its content, and the driver then reports an error for the handle. */
const driverSays = (message: string) => (world: World) => {
  const name = 'upload';
  world.cluster.change<VolumeSnapshotContent>(volumeSnapshotContentType, { name }, (content) => {
    content.status = { readyToUse: false, error: { message } };
  });
  world.cluster.change<VolumeSnapshot>(volumeSnapshotType, made(world), (snapshot) => {
    snapshot.status = { readyToUse: false, boundVolumeSnapshotContentName: name };
  });
};

export const snapshotFaults: readonly Fault[] = [
  {
    name: 'the snapshot does not exist',
    direction: 'upload',
    world: { without: ['VolumeSnapshot/snapshot'] },
    ends: 'failed',
    message:
      'error exposing snapshot: VolumeSnapshot app/snapshot does not exist. Take the snapshot first, or correct spec.csiSnapshot.volumeSnapshot and spec.sourceNamespace.',
  },
  {
    name: 'the content of the snapshot does not exist',
    direction: 'upload',
    world: { without: ['VolumeSnapshotContent/content'] },
    ends: 'failed',
    message:
      'error exposing snapshot: VolumeSnapshotContent content of VolumeSnapshot app/snapshot does not exist. The snapshot is lost; take a new one.',
  },
  {
    name: 'the storage could not take the snapshot',
    direction: 'upload',
    world: {
      without,
      extra: [
        aVolumeSnapshot({
          readyToUse: false,
          status: {
            error: {
              message:
                'Failed to check and update snapshot content: failed to take snapshot of the volume pv-data: "rpc error: code = ResourceExhausted desc = no space left for snapshots"',
            },
          },
        }),
        untaken,
      ],
    },
    ends: 'stuck',
    message: `${is} Failed to check and update snapshot content: failed to take snapshot of the volume pv-data: "rpc error: code = ResourceExhausted desc = no space left for snapshots". Make room on the storage behind the CSI driver.`,
  },
  {
    name: 'only the content knows why the snapshot is not taken',
    direction: 'upload',
    world: {
      without,
      extra: [
        notReady,
        aVolumeSnapshotContent({
          status: {
            readyToUse: false,
            snapshotHandle: '',
            error: { message: 'rpc error: code = Unauthenticated desc = login to the storage failed' },
          },
        }),
      ],
    },
    ends: 'stuck',
    message: `${is} rpc error: code = Unauthenticated desc = login to the storage failed. Check the credentials of the CSI driver, named by the VolumeSnapshotClass.`,
  },
  {
    name: 'the class of the snapshot does not exist',
    direction: 'upload',
    world: { without, extra: [aVolumeSnapshot({ readyToUse: false, content: undefined })] },
    inject: (world) =>
      told(
        world,
        'snapshot',
        'GetSnapshotClassFailed',
        'Failed to get snapshot class with error volumesnapshotclass.snapshot.storage.k8s.io "lateen" not found',
        'snapshot-controller',
      ),
    ends: 'stuck',
    message: `${is} Failed to get snapshot class with error volumesnapshotclass.snapshot.storage.k8s.io "lateen" not found. Create that VolumeSnapshotClass, or take the snapshot with another one.`,
  },
  {
    name: 'no snapshot controller runs',
    direction: 'upload',
    world: { without, extra: [aVolumeSnapshot({ readyToUse: false, content: undefined })] },
    ends: 'stuck',
    message: `${is} no VolumeSnapshotContent is bound to it. Check that the snapshot controller (snapshot-controller) runs, and its log.`,
  },
  {
    name: 'no csi-snapshotter runs',
    direction: 'upload',
    world: { without, extra: [notReady, untaken] },
    ends: 'stuck',
    message: `${is} CSI driver csi.lateen.dev has not taken it yet. Check that the csi-snapshotter of driver csi.lateen.dev runs, and its log.`,
  },
  {
    name: 'the storage is still copying the snapshot away',
    direction: 'upload',
    world: { without, extra: [notReady, aVolumeSnapshotContent({ status: { readyToUse: false } })] },
    ends: 'stuck',
    message: `${is} CSI driver csi.lateen.dev has taken it, but does not call it ready to use yet. Some storage systems first copy a snapshot elsewhere: check the storage, and wait.`,
  },
  {
    name: 'the handle of the snapshot is gone from the storage',
    direction: 'upload',
    setUp: (world) => {
      world.storage.holdSnapshots = true;
    },
    inject: driverSays(
      'Failed to check and update snapshot content: failed to list snapshot for content upload: "rpc error: code = NotFound desc = snapshot snapshot-handle does not exist"',
    ),
    ends: 'stuck',
    message:
      'VolumeSnapshot velero/upload is not ready: Failed to check and update snapshot content: failed to list snapshot for content upload: "rpc error: code = NotFound desc = snapshot snapshot-handle does not exist". The snapshot or its volume is gone from the storage: take a new one.',
  },
  {
    name: 'our copy of the snapshot is deleted by somebody else',
    direction: 'upload',
    setUp: (world) => {
      world.storage.holdSnapshots = true;
    },
    inject: (world) => {
      world.cluster.remove(volumeSnapshotType, made(world));
    },
    ends: 'failed',
    message:
      'error exposing snapshot: VolumeSnapshot velero/upload was deleted by somebody else. Find out who deletes snapshots there, then start again with a new one.',
  },
  {
    name: 'the storage class does not exist',
    direction: 'upload',
    world: { without: ['StorageClass/lateen'] },
    ends: 'failed',
    message:
      'error exposing snapshot: storage class "lateen" does not exist. A copy of the snapshot cannot be provisioned without it: create it, or name another in spec.csiSnapshot.storageClass.',
  },
  {
    name: 'the node-agent is not installed as a DaemonSet',
    direction: 'upload',
    world: { without: ['DaemonSet/node-agent'] },
    ends: 'failed',
    message:
      'error exposing snapshot: DaemonSet velero/node-agent does not exist. Hosting pods are made from its template: install it (see deploy/base/node-agent).',
  },
  {
    name: 'a sidecar was put into the DaemonSet',
    direction: 'upload',
    world: { without: ['DaemonSet/node-agent'], extra: [withSidecar(aDaemonSet())] },
    ends: 'failed',
    message:
      'error exposing snapshot: DaemonSet velero/node-agent has 2 containers. Hosting pods are made from its template, which must have exactly one container: move others elsewhere.',
  },
];

function withSidecar(daemonSet: DaemonSet): DaemonSet {
  daemonSet.spec.template.spec.containers.push({ name: 'sidecar' });
  return daemonSet;
}
