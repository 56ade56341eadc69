import { ownerReferenceTo } from '@lateen/kube';
import {
  longhornGroup,
  longhornVersion,
  type Snapshot,
  snapshotType,
  storageLabels,
  type Volume,
} from '@lateen/storage-types';
import { checkNotStandby, checkSnapshotLabels } from '@lateen/volume-decisions';
import { unlessRefused } from '../change-object.ts';
import { factsOf } from '../volume/volume-checks.ts';

/** Builds the object that requests a snapshot. @throws AppError STORAGE_REFUSED */
export function newSnapshot(
  volume: Volume,
  { name, labels }: { name: string; labels: Record<string, string> },
): Snapshot {
  unlessRefused(checkNotStandby(factsOf(volume), 'create snapshot'), checkSnapshotLabels(labels));
  const { name: volumeName = '', namespace = '' } = volume.metadata;
  return {
    apiVersion: `${longhornGroup}/${longhornVersion}`,
    kind: snapshotType.kind,
    metadata: {
      name,
      namespace,
      labels: { [storageLabels.volume]: volumeName },
      ownerReferences: [ownerReferenceTo(volume)],
    },
    spec: { volume: volumeName, createSnapshot: true, labels },
  };
}
