import type { DataDownload, DataUpload } from '@lateen/api-types';
import type { KubeObject } from '@lateen/kube';
import {
  aBackupStorageLocation,
  aDaemonSet,
  aDataDownload,
  aDataUpload,
  aNode,
  aPersistentVolume,
  aPersistentVolumeClaim,
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

/** Claim app/data on a volume of node-1, snapshotted as app/snapshot, and a DataUpload of that. */
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
