import { persistentVolumeClaimType } from '@lateen/api-types';
import type { ClusterFault } from './cluster-fault.ts';
import type { FaultPlace } from './fault-place.ts';

const nobodysClass = ({ namespace }: FaultPlace) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: namespace },
  provisioner: 'nobody.example',
  volumeBindingMode: 'Immediate',
});

/** A content with a handle that the storage does not know, so that no snapshot exists. */
const lostSnapshot = ({ source, namespace }: FaultPlace) => [
  {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    metadata: { name: namespace },
    spec: {
      deletionPolicy: 'Retain',
      driver: 'csi.lateen.dev',
      source: { snapshotHandle: 'no-such-handle' },
      volumeSnapshotClassName: 'lateen',
      volumeSnapshotRef: { namespace: source, name: namespace },
    },
  },
  {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: { namespace: source, name: namespace },
    spec: { volumeSnapshotClassName: 'lateen', source: { volumeSnapshotContentName: namespace } },
  },
];

/** The claim to restore into; no pod uses it. */
async function target(place: FaultPlace, storage: string): Promise<void> {
  const { kube, namespace, lateen } = place;
  await kube.create(persistentVolumeClaimType, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name: 'target' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: lateen.storageClass,
      resources: { requests: { storage } },
      selector: { matchLabels: { 'velero.io/dynamic-pv-restore': namespace } },
    },
  });
}

export const storageFaults: readonly ClusterFault[] = [
  {
    name: 'the handle of the snapshot is gone from the storage',
    direction: 'upload',
    prepare: (place) => place.apply(...lostSnapshot(place)),
    spec: async ({ namespace, lateen }) => ({
      csiSnapshot: { volumeSnapshot: namespace, storageClass: lateen.storageClass },
    }),
    cleanUp: (place) => place.remove(...lostSnapshot(place)),
    ends: 'stuck',
    message: 'VolumeSnapshot {source}/{snapshot} is not ready: {driver}',
  },
  {
    name: 'no provisioner runs for the storage class',
    direction: 'upload',
    prepare: (place) => place.apply(nobodysClass(place)),
    spec: async ({ namespace }) => ({ csiSnapshot: { volumeSnapshot: '', storageClass: namespace } }),
    cleanUp: (place) => place.remove(nobodysClass(place)),
    ends: 'stuck',
    message:
      'PersistentVolumeClaim {namespace}/{upload} has no volume yet (StorageClass {class}): no provisioner of nobody.example has started to create it. Check that the CSI driver nobody.example runs with its csi-provisioner, and its log.',
  },
  {
    name: 'the storage has no room for the volume',
    direction: 'download',
    settings: { restorePVC: { ignoreDelayBinding: true } },
    prepare: (place) => target(place, '900Ti'),
    ends: 'stuck',
    message:
      'hosting pod {namespace}/{download} is not scheduled: 0/1 nodes are available: 1 node(s) did not have enough free storage. Make room on the storage of the nodes.',
  },
  {
    name: 'nothing uses the target claim',
    direction: 'download',
    prepare: (place) => target(place, '64Mi'),
    ends: 'stuck',
    message:
      'Target PVC {namespace}/target waits until a pod that uses it is given a node, and there is none. Start the workload that uses it.',
  },
];
