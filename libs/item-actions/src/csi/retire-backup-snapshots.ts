import { annotations, type VolumeSnapshot, volumeSnapshotContentType } from '@lateen/api-types';
import { keyOf, retryOnConflict } from '@lateen/kube';
import { deleteSnapshot, handleOf, retireSnapshot } from '@lateen/volume-snapshots';
import type { OperationContext } from '../contract/backup-item-action.ts';
import { labelsOf } from './backup-labels.ts';
import { discard } from './discard-backup-snapshots.ts';
import { contentOf, type SnapshotPair, snapshotsOfBackup, withEach } from './snapshots-of-backup.ts';

/** Only the snapshot controller and the snapshotter are involved in the deletion, not the storage. */
const goneTimeoutMs = 120_000;

type RetirePorts = Pick<OperationContext, 'backup' | 'kube' | 'clock' | 'random' | 'log'>;

/**
 * The last step of a backup that moves no data: its VolumeSnapshots and their contents are deleted from the cluster, and the
 * snapshots stay on the storage, named in the archive (data-movement.md section 2). A snapshot that is in no archive is deleted
 * too. Safe to repeat; does nothing for a backup whose data is moved.
 * @throws AppError SNAPSHOTS_REMAIN naming each that could not be deleted; the signal's reason
 */
export async function retireBackupSnapshots({ backup, ...ports }: RetirePorts, signal: AbortSignal): Promise<void> {
  if (backup.spec.snapshotMoveData === true) return;
  const { kube } = ports;
  const pairs = await snapshotsOfBackup(kube, backup, signal);
  await withEach(pairs, (pair) => retire(pair, { ...ports, backup }, signal), signal);
}

async function retire(pair: SnapshotPair, { backup, ...ports }: RetirePorts, signal: AbortSignal): Promise<void> {
  const { kube } = ports;
  const { snapshot } = pair;
  if (snapshot !== undefined && !isStored(snapshot)) return await discard(pair, kube, signal);
  await retryOnConflict(async () => {
    const content = await contentOf(pair, kube, signal);
    if (content === undefined || handleOf(content) === undefined)
      return snapshot === undefined ? undefined : await deleteSnapshot(kube, snapshot);
    // The labels let us find it again after an interruption, when its VolumeSnapshot is deleted already.
    const body = { metadata: { labels: labelsOf(backup) } };
    const labelled = await kube.patch(volumeSnapshotContentType, keyOf(content), { type: 'merge', body }, { signal });
    await retireSnapshot(ports, { snapshot, content: labelled }, { timeoutMs: goneTimeoutMs, signal });
  });
}

/** The action for VolumeSnapshots has processed it. A snapshot that failed before that is in no archive, and useless. */
const isStored = ({ metadata }: VolumeSnapshot): boolean =>
  metadata.annotations?.[annotations.csiVolumeSnapshotHandle] !== undefined;
