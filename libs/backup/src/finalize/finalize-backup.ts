import type { Backup, BackupPhase } from '@lateen/api-types';
import { rewriteArchive } from '@lateen/archive';
import { type BackupOperation, type BackupStore, backupStore } from '@lateen/backup-store';
import { describeError, isAppError } from '@lateen/errors';
import { completeSnapshotNotes, retireBackupSnapshots } from '@lateen/item-actions';
import { apiTime } from '@lateen/kube';
import { type Outcome, settled } from '@lateen/kube-runtime';
import { countOf, inOrder, numberOrNone, patchedStatus, usableLocation } from '@lateen/run';
import { withStore } from '@lateen/storage-location';
import { moveBackup, onLatest } from '../api/write-backup.ts';
import type { BackupPorts } from '../backup-ports.ts';
import { isFinalizing, phaseOf } from '../phases/phase-moves.ts';
import type { EndPatch } from '../run/run-end.ts';
import { storedBackup } from '../run/stored-backup.ts';
import { completeVolumes } from './complete-volumes.ts';
import { writeFailedOutcomes } from './failed-outcomes.ts';
import { type ReadAgain, readAgain } from './read-again.ts';

/**
 * The last step of a backup: objects that operations have changed are read again and stored in its files, and the Backup is stored with its
 * final phase. Each part may be repeated: after a restart of the controller, all parts run again.
 */
export async function finalizeBackup(
  ports: BackupPorts,
  backup: Backup,
  signal: AbortSignal,
): Promise<Outcome | 'next'> {
  const location = await usableLocation(ports, backup.spec.storageLocation ?? '', signal);
  if ('gone' in location) return await end(ports, backup, { failureReason: location.gone }, undefined, signal);
  try {
    return await withStore(ports, location.usable, { signal, customerKey: true }, (store, { prefix }) =>
      finalizeIn(ports, backupStore(store, prefix), backup, signal),
    );
  } catch (error) {
    signal.throwIfAborted();
    // Temporary errors are retried without limit; a file that is gone never comes back.
    if (!isAppError(error) || error.retry !== 'never' || error.code.startsWith('KUBE_')) throw error;
    const failureReason = `the backup could not be finalized: ${describeError(error)}`;
    return await end(ports, backup, { failureReason }, undefined, signal);
  }
}

async function finalizeIn(
  ports: BackupPorts,
  files: BackupStore,
  backup: Backup,
  signal: AbortSignal,
): Promise<Outcome | 'next'> {
  const { name = '' } = backup.metadata;
  if ((backup.status?.backupItemOperationsAttempted ?? 0) === 0)
    return await end(ports, backup, await retireSnapshots(ports, backup, signal), files, signal);
  const operations = await files.getItemOperations(name, { signal });
  await completeSnapshotNotes({ ...ports, backup }, signal);
  const again = await readAgain(ports, operations, signal);
  for (const item of again.missing)
    ports.log.warn(
      { backup: name, item },
      'an object that an operation has changed no longer exists; the archive keeps its earlier version',
    );
  await rewriteFiles(ports, files, { name, operations, again }, signal);
  await writeFailedOutcomes(ports, files, { name, operations }, signal);
  // Done after they were read again: their final state is in the archive by now.
  const retired = await retireSnapshots(ports, backup, signal);
  const snapshots = operations.filter(({ spec }) => spec.backupItemAction === snapshotAction);
  return await end(
    ports,
    backup,
    { ...retired, csiVolumeSnapshotsCompleted: numberOrNone(countOf(snapshots, 'Completed')) },
    files,
    signal,
  );
}

/** Deletes the objects of snapshots. A failure is no reason to lose the backup, but a warning. */
async function retireSnapshots(ports: BackupPorts, backup: Backup, signal: AbortSignal): Promise<EndPatch> {
  try {
    await retireBackupSnapshots({ ...ports, backup }, signal);
    return {};
  } catch (error) {
    if (!isAppError(error, 'SNAPSHOTS_REMAIN')) throw error;
    ports.log.error(
      { backup: backup.metadata.name, err: error },
      'snapshots of a backup could not be removed from the cluster',
    );
    return { failureReason: describeError(error) };
  }
}

/** The action whose operations are CSI snapshots that stay on the storage. */
const snapshotAction = 'velero.io/csi-volumesnapshot-backupper';

async function rewriteFiles(
  { clock }: BackupPorts,
  files: BackupStore,
  { name, operations, again }: { name: string; operations: readonly BackupOperation[]; again: ReadAgain },
  signal: AbortSignal,
): Promise<void> {
  const volumes = await files.getVolumeInfo(name, { signal });
  await files.putVolumeInfo(name, completeVolumes(volumes ?? [], operations, again.items), { signal });
  if (again.changes.size === 0) return;
  const archive = files.readArchive(name, { signal });
  await files.writeArchive(name, rewriteArchive(archive, again.changes, { mtimeMs: clock.now(), signal }), { signal });
}

/** Writes the final state, first into the bucket; a backup with a requested cancellation or deletion is left to that. */
async function end(
  ports: BackupPorts,
  backup: Backup,
  patch: EndPatch,
  files: BackupStore | undefined,
  signal: AbortSignal,
): Promise<Outcome | 'next'> {
  const completionTimestamp = apiTime(ports.clock.now());
  const write = async (latest: Backup): Promise<Backup> => {
    if (!isFinalizing(latest) || latest.spec.cancel === true || latest.metadata.deletionTimestamp !== undefined)
      return latest;
    const isPartial = phaseOf(latest) === 'FinalizingPartiallyFailed' || patch.failureReason !== undefined;
    const phase: BackupPhase = isPartial ? 'PartiallyFailed' : 'Completed';
    const status = inOrder(latest, { ...patch, completionTimestamp });
    await files?.putBackup(storedBackup(latest, patchedStatus(latest.status, { ...status, phase })), { signal });
    return await moveBackup(ports, latest, phase, { status }, signal);
  };
  const after = await onLatest(ports, backup, write, signal);
  return isFinalizing(after) ? 'next' : settled;
}
