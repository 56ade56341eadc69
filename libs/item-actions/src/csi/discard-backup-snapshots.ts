import {
  type Backup,
  volumeGroupSnapshotContentType,
  volumeGroupSnapshotType,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { deleteIfThere, type KubeApi, keyOf } from '@lateen/kube';
import { deleteGroup } from './group/end-group.ts';
import { contentOf, madeFor, type SnapshotPair, snapshotsOfBackup, withEach } from './snapshots-of-backup.ts';

/**
 * Deletes every VolumeSnapshot and VolumeGroupSnapshot that was made for a backup that is not kept, together with the snapshots
 * on the storage, whatever the deletion policy of their class is. Resolves when the API has accepted the deletes. Safe to repeat.
 * @throws AppError SNAPSHOTS_REMAIN | GROUP_SNAPSHOT_LEFT_BEHIND; the signal's reason
 */
export async function discardBackupSnapshots(
  { kube, backup }: { kube: KubeApi; backup: Backup },
  signal: AbortSignal,
): Promise<void> {
  for (const group of await madeFor(kube, volumeGroupSnapshotType, backup, signal)) {
    signal.throwIfAborted();
    await deleteGroup(group, { kube });
  }
  // Contents of groups that are deleted already. Their policy is Retain, and the snapshots have contents of their own.
  for (const content of await madeFor(kube, volumeGroupSnapshotContentType, backup, signal))
    await deleteIfThere(kube, volumeGroupSnapshotContentType, content, signal);
  const pairs = await snapshotsOfBackup(kube, backup, signal);
  await withEach(pairs, (pair) => discard(pair, kube, signal), signal);
}

/** Deletes the objects of a snapshot, and the snapshot with them. */
export async function discard(pair: SnapshotPair, kube: KubeApi, signal: AbortSignal): Promise<void> {
  const content = await contentOf(pair, kube, signal);
  if (content !== undefined && content.spec.deletionPolicy !== 'Delete') {
    const body = { spec: { deletionPolicy: 'Delete' } };
    await kube.patch(volumeSnapshotContentType, keyOf(content), { type: 'merge', body }, { signal });
  }
  if (pair.snapshot !== undefined) await deleteIfThere(kube, volumeSnapshotType, pair.snapshot, signal);
  else if (content !== undefined) await deleteIfThere(kube, volumeSnapshotContentType, content, signal);
}
