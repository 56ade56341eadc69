import {
  annotations as annotationKeys,
  type PersistentVolumeClaim,
  snapshotGroup,
  type VolumeMode,
  type VolumeSnapshot,
  type VolumeSnapshotContent,
} from '@lateen/api-types';
import { contentOnHandle } from '@lateen/volume-snapshots';
import { type ExposeOwner, ownerReferenceTo } from '../owner.ts';
import type { BackupVolumePlan } from '../settings/backup-volume-plan.ts';
import { exposedForLabel } from './exposed-for.ts';
import { type SourceSnapshot, takenOverAnnotations, takenOverFrom } from './taken-over-from.ts';

/**
 * The content that takes the snapshot over into our namespace: it has the same handle, and its policy is Delete, so that the
 * snapshot on the storage is deleted with our VolumeSnapshot (data-movement.md section 4, step 2).
 */
export function backupSnapshotContent(owner: ExposeOwner, from: SourceSnapshot): VolumeSnapshotContent {
  return contentOnHandle(from.content, {
    name: owner.name,
    snapshot: { namespace: owner.namespace, name: owner.name },
    labels: { [exposedForLabel]: owner.uid },
    annotations: takenOverAnnotations(takenOverFrom(from)),
  });
}

/** Our VolumeSnapshot, bound to {@link backupSnapshotContent}. */
export function backupSnapshot(owner: ExposeOwner, source: VolumeSnapshot): VolumeSnapshot {
  const { volumeSnapshotClassName } = source.spec;
  return {
    apiVersion: `${snapshotGroup}/v1`,
    kind: 'VolumeSnapshot',
    metadata: {
      name: owner.name,
      namespace: owner.namespace,
      labels: { [exposedForLabel]: owner.uid },
      ...(source.metadata.annotations === undefined ? {} : { annotations: { ...source.metadata.annotations } }),
    },
    spec: {
      source: { volumeSnapshotContentName: owner.name },
      ...(volumeSnapshotClassName === undefined ? {} : { volumeSnapshotClassName }),
    },
  };
}

export interface BackupClaimInput {
  owner: ExposeOwner;
  plan: Pick<BackupVolumePlan, 'storageClass' | 'readOnly' | 'annotations'>;
  volumeMode: VolumeMode;
  /** A quantity: the snapshot's restore size, or the size that the source claim requested. */
  size: string;
  /** Set when only one node can reach the snapshot: provisioning then starts before the pod is scheduled. */
  selectedNode?: string | undefined;
}

/** The claim that a copy of the snapshot is provisioned for. */
export function backupVolumeClaim(input: BackupClaimInput): PersistentVolumeClaim {
  const { owner, plan, selectedNode } = input;
  const annotations = {
    ...plan.annotations,
    ...(selectedNode === undefined ? {} : { [annotationKeys.selectedNode]: selectedNode }),
  };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: owner.name,
      namespace: owner.namespace,
      ownerReferences: [ownerReferenceTo(owner)],
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: {
      accessModes: [plan.readOnly ? 'ReadOnlyMany' : 'ReadWriteOnce'],
      storageClassName: plan.storageClass,
      volumeMode: input.volumeMode,
      resources: { requests: { storage: input.size } },
      dataSource: { apiGroup: snapshotGroup, kind: 'VolumeSnapshot', name: owner.name },
    },
  };
}
