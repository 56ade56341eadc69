import { type Backup, backupType } from '@lateen/api-types';
import type { BackupStore } from '@lateen/backup-store';
import { AppError, describeError } from '@lateen/errors';
import { settleAll } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import { failedVerdict, interruption, interruptionError, patchedStatus, type Verdict } from '@lateen/run';
import { backupKind } from '../api/write-backup.ts';
import { takeBack } from '../cancel/take-back.ts';
import type { ItemsOutcome } from '../engine/contract.ts';
import { runSnapshots } from '../native-snapshots/run-snapshots.ts';
import { backUpObjects } from './back-up-objects.ts';
import type { Run } from './run.ts';
import { type EndPatch, runEnd } from './run-end.ts';
import { storedBackup, storedPodVolumeBackup } from './stored-backup.ts';

/**
 * Stores all files of a backup, the Backup itself last: when it is stored, the backup is complete. A failure is returned as a verdict, and
 * everything is deleted again. Only the log ends after that, because it has to say why the Backup could not be stored.
 * @throws when the run is interrupted, or the place is taken; then nothing was stored
 */
export async function storeBackup(run: Run, files: BackupStore): Promise<Verdict<Backup>> {
  await requireFree(run, files);
  const logging = storeLog(run, files);
  const native = runSnapshots(run, files);
  try {
    const outcome = await backUpObjects(run, files, native);
    run.log.log.info({ items: outcome.itemsBackedUp }, 'all objects of the backup are stored');
    await storeSideFiles(run, files, outcome);
    const end = runEnd({ outcome, ...run.log.counts });
    await storeObject(run, files, end);
    run.log.end();
    await logging;
    return { phase: end.phase, patch: { status: end.status } };
  } catch (error) {
    run.signal.throwIfAborted();
    run.log.log.error({ err: error }, 'the backup failed');
    const { entries } = native.record;
    await takeBack(run.ports, run.backup, { files, log: run.log.log, nativeSnapshots: entries }, run.signal);
    run.log.end();
    await logging;
    return failedVerdict(error, run.log.counts, run.ports.clock.now());
  }
}

async function requireFree({ backup, signal }: Run, files: BackupStore): Promise<void> {
  const exists = await files.exists(nameOf(backup), { signal }).catch((cause: unknown) => {
    signal.throwIfAborted();
    const text = `error checking if backup already exists in object storage: ${describeError(cause)}`;
    throw new AppError('BACKUP_STORE_UNKNOWN', text, { cause });
  });
  if (exists) throw new AppError('BACKUP_EXISTS', 'backup already exists in object storage');
}

/** Resolves when the log is stored or cannot be stored: a backup does not fail because of its log. */
async function storeLog({ ports, backup, log, signal }: Run, files: BackupStore): Promise<void> {
  try {
    await files.putLog(nameOf(backup), log.pieces, { signal });
  } catch (error) {
    if (!signal.aborted) ports.log.warn({ backup: nameOf(backup), err: error }, 'the log of a backup cannot be stored');
  }
}

async function storeSideFiles({ backup, log, signal }: Run, files: BackupStore, outcome: ItemsOutcome) {
  const name = nameOf(backup);
  await settleAll([
    files.putItemOperations(name, outcome.operations, { signal }),
    files.putVolumeInfo(name, outcome.volumes, { signal }),
    files.putPodVolumeBackups(name, outcome.podVolumeBackups.map(storedPodVolumeBackup), { signal }),
    files.putVolumeSnapshots(name, outcome.nativeSnapshots, { signal }),
    files.putResults(name, log.results(), { signal }),
  ]);
}

/** Stores the Backup with its future status. A run that has lost the backup meanwhile must not make it complete. */
async function storeObject(
  { ports, backup, signal }: Run,
  files: BackupStore,
  end: { phase: Verdict<Backup>['phase']; status: EndPatch },
) {
  const latest = await ports.kube.get(backupType, keyOf(backup), { signal });
  const why = interruption(backupKind, backup, latest);
  if (why !== undefined) throw interruptionError(backupKind, why, backup);
  const status = patchedStatus(latest.status, { ...end.status, phase: end.phase });
  await files.putBackup(storedBackup(latest, status), { signal });
}

const nameOf = ({ metadata }: { metadata: { name?: string } }): string => metadata.name ?? '';
