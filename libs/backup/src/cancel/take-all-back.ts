import { type Backup, type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import { backupStore } from '@lateen/backup-store';
import { AppError, isAppError } from '@lateen/errors';
import { readObject } from '@lateen/kube';
import { askToEnd, isOpenOperation } from '@lateen/run';
import { withStore } from '@lateen/storage-location';
import type { BackupPorts } from '../backup-ports.ts';
import { backupOperations } from '../operations/backup-operations.ts';
import { takeBack } from './take-back.ts';

/**
 * Takes back a backup whose run has ended somewhere else, or was interrupted: opens its location for that. Files of another backup of
 * the same name are left alone, and where there is no location, or it may not be written to, so are its own.
 * @throws BACKUP_NOT_TAKEN_BACK when something is left that another try may take
 */
export async function takeAllBack(ports: BackupPorts, backup: Backup, signal: AbortSignal): Promise<void> {
  const { log } = ports;
  const location = await locationOf(ports, backup, signal);
  const problems =
    location === undefined
      ? await takeBack(ports, backup, { log }, signal)
      : await withStore(ports, location, { signal, customerKey: true }, async (store, { prefix }) => {
          const files = backupStore(store, prefix);
          const isOurs = await ownsFiles(files, backup, signal);
          if (isOurs) {
            await endOperations(ports, files, backup, signal);
            await endUnfinished(files, backup, log, signal);
          }
          return await takeBack(ports, backup, { log, files: isOurs ? files : undefined }, signal);
        });
  if (problems.length === 0) return;
  const text = `something of backup ${backup.metadata.name} is left: ${problems.join('; ')}`;
  throw new AppError('BACKUP_NOT_TAKEN_BACK', text, { retry: 'later' });
}

/** Where its files are; undefined when they cannot be deleted, now or ever. */
async function locationOf(
  { kube, namespace, log }: BackupPorts,
  { spec, metadata }: Backup,
  signal: AbortSignal,
): Promise<BackupStorageLocation | undefined> {
  const key = { namespace, name: spec.storageLocation ?? '' };
  const location = await readObject(kube, backupStorageLocationType, key, signal);
  if (location !== undefined && location.spec.accessMode !== 'ReadOnly') return location;
  const why = location === undefined ? 'does not exist any more' : 'is read-only';
  log.warn({ backup: metadata.name, location: key.name, why }, 'files of a backup cannot be deleted');
  return undefined;
}

type Files = ReturnType<typeof backupStore>;

/** Where the keys may not list uploads, or the store knows no such call, nothing else is held up. */
async function endUnfinished(
  files: Files,
  { metadata }: Backup,
  log: BackupPorts['log'],
  signal: AbortSignal,
): Promise<void> {
  try {
    await files.endAbandonedWrites(metadata.name ?? '', { signal });
  } catch (error) {
    signal.throwIfAborted();
    const nextStep = 'give the bucket a lifecycle rule that removes incomplete multipart uploads';
    log.warn({ backup: metadata.name, err: error, nextStep }, 'unfinished uploads of a backup cannot be ended');
  }
}

/** Those of plugins too; what built-in actions have started is taken away in any case. */
async function endOperations(ports: BackupPorts, files: Files, backup: Backup, signal: AbortSignal): Promise<void> {
  const operations = await files.getItemOperations(backup.metadata.name ?? '', { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    if (!isAppError(error) || error.retry !== 'never') throw error;
    ports.log.warn({ backup: backup.metadata.name, err: error }, 'the operations of a backup cannot be read');
    return [];
  });
  for (const operation of operations)
    if (isOpenOperation(operation.status.phase)) await askToEnd(backupOperations(ports), backup, operation, signal);
}

/** True also where there is no object yet: what there is then is of an unfinished run. */
async function ownsFiles(files: Files, { metadata }: Backup, signal: AbortSignal): Promise<boolean> {
  try {
    const stored = await files.getBackup(metadata.name ?? '', { signal });
    return stored === undefined || stored.metadata.uid === metadata.uid;
  } catch (error) {
    if (isAppError(error, 'BUCKET_NOT_FOUND')) return false;
    throw error;
  }
}
