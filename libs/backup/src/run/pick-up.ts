import { type Backup, type BackupPhase, backupStorageLocationType } from '@lateen/api-types';
import { backupStore } from '@lateen/backup-store';
import { AppError, describeError } from '@lateen/errors';
import { readObject } from '@lateen/kube';
import { failedVerdict, type Verdict } from '@lateen/run';
import { withStore } from '@lateen/storage-location';
import type { BackupPorts } from '../backup-ports.ts';
import { takeAllBack } from '../cancel/take-all-back.ts';
import { isFinalizing, isWaiting } from '../phases/phase-moves.ts';

/** In Velero's words (api.md section 2.2). */
const abandonedReason = 'found a backup with status "InProgress" during the server starting, mark it as "Failed"';

/**
 * Handles a backup whose controller has died. When its Backup file is in the bucket, all its files are, and it continues from there.
 * Otherwise it has failed, and what was created for it is deleted as far as possible now.
 * @throws KUBE_…, and temporary errors of reading the location
 */
export async function pickUp(ports: BackupPorts, backup: Backup, signal: AbortSignal): Promise<Verdict<Backup>> {
  const stored = await storedObject(ports, backup, signal);
  if (stored !== undefined) {
    const { phase, ...status } = stored.status ?? {};
    ports.log.info(
      { backup: backup.metadata.name, phase },
      'all objects of the backup are stored; it continues in this controller',
    );
    return { phase: phase as BackupPhase, patch: { status } };
  }
  try {
    await takeAllBack(ports, backup, signal);
  } catch (error) {
    signal.throwIfAborted();
    ports.log.warn(
      { backup: backup.metadata.name, err: error },
      'an abandoned backup could not be cleaned up completely',
    );
    const text = `${abandonedReason}; ${describeError(error)}`;
    return failedVerdict(new AppError('BACKUP_ABANDONED', text), { warnings: 0, errors: 0 }, ports.clock.now());
  }
  const abandoned = new AppError('BACKUP_ABANDONED', abandonedReason);
  return failedVerdict(abandoned, { warnings: 0, errors: 0 }, ports.clock.now());
}

/** The stored Backup with the same uid, from after its run; undefined when it does not exist or cannot be read. */
async function storedObject(ports: BackupPorts, backup: Backup, signal: AbortSignal): Promise<Backup | undefined> {
  const key = { namespace: ports.namespace, name: backup.spec.storageLocation ?? '' };
  const location = await readObject(ports.kube, backupStorageLocationType, key, signal);
  if (location === undefined) return undefined;
  try {
    return await withStore(ports, location, { signal, customerKey: true }, async (store, { prefix }) => {
      const stored = await backupStore(store, prefix).getBackup(backup.metadata.name ?? '', { signal });
      if (stored === undefined || stored.metadata.uid !== backup.metadata.uid) return undefined;
      return isWaiting(stored) || isFinalizing(stored) ? stored : undefined;
    });
  } catch (error) {
    signal.throwIfAborted();
    ports.log.warn({ backup: backup.metadata.name, err: error }, 'the location of an abandoned backup cannot be read');
    return undefined;
  }
}
