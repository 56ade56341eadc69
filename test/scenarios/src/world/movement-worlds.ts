import type { DataDownload, DataUpload, Pod, PodVolumeBackup, PodVolumeRestore } from '@lateen/api-types';
import type { KubeObject } from '@lateen/kube';
import {
  aBackupStorageLocation,
  aDaemonSet,
  aDataDownload,
  aDataUpload,
  aNode,
  aPersistentVolume,
  aPersistentVolumeClaim,
  aPod,
  aPodVolumeBackup,
  aPodVolumeRestore,
  aStorageClass,
  aVolumeSnapshot,
  aVolumeSnapshotContent,
} from '@lateen/testing';
import { World } from './world.ts';

export interface MovementWorldOptions {
  bindingMode?: 'Immediate' | 'WaitForFirstConsumer';
  reclaimPolicy?: 'Delete' | 'Retain';
  /** Objects to leave out, as `Kind/name`. */
  without?: readonly string[];
  extra?: readonly KubeObject[];
}

const always = (options: MovementWorldOptions): KubeObject[] => [
  aNode({ name: 'node-1' }),
  aNode({ name: 'node-2' }),
  aDaemonSet(),
  aBackupStorageLocation(),
  aStorageClass({
    volumeBindingMode: options.bindingMode ?? 'Immediate',
    reclaimPolicy: options.reclaimPolicy ?? 'Delete',
  }),
];

const kept = (objects: readonly KubeObject[], { without = [], extra = [] }: MovementWorldOptions): KubeObject[] => [
  ...objects.filter((object) => !without.includes(`${object.kind}/${object.metadata.name}`)),
  ...extra,
];

const onlyNode1 = {
  nodeSelectorTerms: [
    { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In' as const, values: ['node-1'] }] },
  ],
};

/** Claim app/data on a volume of node-1, with the snapshot app/snapshot, and a DataUpload of it. */
export function uploadWorld(options: MovementWorldOptions = {}, upload: DataUpload = aDataUpload()): World {
  const claim = aPersistentVolumeClaim({ volumeName: 'pv-data', uid: 'claim-data' });
  const objects = [
    ...always(options),
    claim,
    aPersistentVolume({
      name: 'pv-data',
      claim: { namespace: 'app', name: 'data', uid: 'claim-data' },
      spec: { nodeAffinity: { required: onlyNode1 } },
    }),
    aVolumeSnapshot({ finalizers: ['snapshot.storage.kubernetes.io/volumesnapshot-bound-protection'] }),
    aVolumeSnapshotContent({ finalizers: ['snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection'] }),
    upload,
  ];
  return new World({ objects: kept(objects, options), snapshots: ['snapshot-handle'], volumes: ['handle-pv-data'] });
}

export const restoreSelector = { matchLabels: { 'velero.io/dynamic-pv-restore': 'app.data.x2x4p' } };

/** Claim app/data that waits for its volume, and a DataDownload into it. */
export function downloadWorld(
  options: MovementWorldOptions & { selectedNode?: string } = {},
  download: DataDownload = aDataDownload(),
): World {
  const annotations =
    options.selectedNode === undefined ? {} : { 'volume.kubernetes.io/selected-node': options.selectedNode };
  const target = aPersistentVolumeClaim({ uid: 'claim-target', annotations, spec: { selector: restoreSelector } });
  return new World({ objects: kept([...always(options), target, download], options) });
}

/** The owner of PodVolumeRestores, whose uid their pod waits for. */
export const owningRestore = {
  apiVersion: 'velero.io/v1',
  kind: 'Restore',
  metadata: { namespace: 'velero', name: 'restore', uid: 'restore-uid' },
  spec: {},
};

/** Pod app/db on `node-1` with an emptyDir `data`, whose containers run. */
export const clientPod = (parts: Parameters<typeof aPod>[0] = {}): Pod =>
  aPod({
    namespace: 'app',
    name: 'db',
    nodeName: 'node-1',
    phase: 'Running',
    ...parts,
    spec: {
      containers: [{ name: 'main', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', emptyDir: {} }],
      ...parts.spec,
    },
  });

/** The same pod as a restore creates it: an init container waits for its volumes. */
export const waitingPod = (parts: Parameters<typeof aPod>[0] = {}): Pod =>
  clientPod({
    phase: 'Pending',
    ...parts,
    spec: { initContainers: [{ name: 'restore-wait', image: 'localhost/lateen:dev' }], ...parts.spec },
    status: { initContainerStatuses: [{ name: 'restore-wait', state: { running: {} } }], ...parts.status },
  });

/** Pod app/db and a PodVolumeBackup of its volume. */
export const podBackupWorld = (
  options: MovementWorldOptions = {},
  backup: PodVolumeBackup = aPodVolumeBackup(),
  pod: Pod = clientPod(),
): World => new World({ objects: kept([...always(options), pod, backup], options) });

/** Pod app/db, which is waiting, and a PodVolumeRestore into its volume. */
export const podRestoreWorld = (
  options: MovementWorldOptions = {},
  restore: PodVolumeRestore = aPodVolumeRestore(),
  pod: Pod = waitingPod(),
): World => new World({ objects: kept([...always(options), owningRestore, pod, restore], options) });
