import type { VolumeSnapshot, VolumeSnapshotContent } from '@lateen/api-types';
import { builtMetadata, type ObjectParts, withStatus } from './built-object.ts';

/** The VolumeSnapshot `snapshot` of claim `data` in `app`; ready and bound to `content` by default. */
export function aVolumeSnapshot(
  parts: ObjectParts & {
    readyToUse?: boolean;
    /** status.boundVolumeSnapshotContentName; an explicit undefined means not bound. */
    content?: string | undefined;
    spec?: Partial<VolumeSnapshot['spec']>;
    status?: Partial<NonNullable<VolumeSnapshot['status']>>;
  } = {},
): VolumeSnapshot {
  const snapshot: VolumeSnapshot = {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: builtMetadata('VolumeSnapshot', { name: 'snapshot', namespace: 'app' }, parts),
    spec: { source: { persistentVolumeClaimName: 'data' }, volumeSnapshotClassName: 'lateen', ...parts.spec },
  };
  return withStatus(snapshot, {
    boundVolumeSnapshotContentName: 'content' in parts ? parts.content : 'content',
    readyToUse: parts.readyToUse ?? true,
    restoreSize: '1Gi',
    ...parts.status,
  });
}

/** The content of {@link aVolumeSnapshot}. */
export function aVolumeSnapshotContent(
  parts: ObjectParts & {
    spec?: Partial<VolumeSnapshotContent['spec']>;
    status?: Partial<NonNullable<VolumeSnapshotContent['status']>>;
  } = {},
): VolumeSnapshotContent {
  const content: VolumeSnapshotContent = {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    metadata: builtMetadata('VolumeSnapshotContent', { name: 'content' }, parts),
    spec: {
      deletionPolicy: 'Delete',
      driver: 'csi.lateen.dev',
      source: { volumeHandle: 'handle-pv-data' },
      volumeSnapshotRef: {
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshot',
        namespace: 'app',
        name: 'snapshot',
        uid: 'volumesnapshot-app-snapshot',
      },
      volumeSnapshotClassName: 'lateen',
      sourceVolumeMode: 'Filesystem',
      ...parts.spec,
    },
  };
  return withStatus(content, {
    snapshotHandle: 'snapshot-handle',
    readyToUse: true,
    restoreSize: 1_073_741_824,
    ...parts.status,
  });
}
