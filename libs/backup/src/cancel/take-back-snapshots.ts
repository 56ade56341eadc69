import {
  type Backup,
  getValidName,
  labels,
  type VolumeSnapshot,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { isNotFound, type KubeApi, keyOf, listAll } from '@lateen/kube';

/**
 * Deletes the VolumeSnapshots that were made for a backup, with the snapshots on the storage whatever their class says. Those of an
 * earlier backup of the same name are older than this one. A cluster without snapshots has none.
 */
export async function takeBackSnapshots(
  { kube }: { kube: KubeApi },
  backup: Backup,
  signal: AbortSignal,
): Promise<void> {
  const labelSelector = `${labels.backupName}=${getValidName(backup.metadata.name ?? '')}`;
  const { items } = await listAll(kube, volumeSnapshotType, { labelSelector, signal }).catch(noneIfUnknown);
  for (const snapshot of items.filter((each) => isYounger(each, backup))) await remove(kube, snapshot, signal);
}

const noneIfUnknown = (error: unknown): { items: VolumeSnapshot[] } => {
  if (isNotFound(error)) return { items: [] };
  throw error;
};

/** Both times are of the same API server. */
const isYounger = (snapshot: VolumeSnapshot, backup: Backup): boolean =>
  Date.parse(snapshot.metadata.creationTimestamp ?? '') >= Date.parse(backup.metadata.creationTimestamp ?? '');

async function remove(kube: KubeApi, snapshot: VolumeSnapshot, signal: AbortSignal): Promise<void> {
  const content = snapshot.status?.boundVolumeSnapshotContentName;
  if (content !== undefined && content !== '') {
    const body = { spec: { deletionPolicy: 'Delete' } };
    await kube
      .patch(volumeSnapshotContentType, { name: content }, { type: 'merge', body }, { signal })
      .catch(unlessGone);
  }
  await kube.delete(volumeSnapshotType, keyOf(snapshot), { signal }).catch(unlessGone);
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
