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
 * Deletes what a backup created whose run ended in another process or was interrupted, and opens its location for that. Files of another
 * backup of the same name stay. The backup's own files stay when the location does not exist or is read-only.
 * @throws BACKUP_NOT_TAKEN_BACK when something is left that another attempt may delete
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
  const text = `backup ${backup.metadata.name} is not cleaned up completely: ${problems.join('; ')}`;
  throw new AppError('BACKUP_NOT_TAKEN_BACK', text, { retry: 'later' });
}

/** The location of its files; undefined when they cannot be deleted, now or ever. */
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

/** Ends unfinished uploads. When the credentials may not list them, or the store lacks the call, the other steps continue. */
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

/** Cancels operations, also those of plugins; what built-in actions have created is deleted in any case. */
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

/** True also when the Backup file does not exist yet: the other files then belong to an unfinished run. */
async function ownsFiles(files: Files, { metadata }: Backup, signal: AbortSignal): Promise<boolean> {
  try {
    const stored = await files.getBackup(metadata.name ?? '', { signal });
    return stored === undefined || stored.metadata.uid === metadata.uid;
  } catch (error) {
    if (isAppError(error, 'BUCKET_NOT_FOUND')) return false;
    throw error;
  }
}
