import {
  type Backup,
  type BackupPhase,
  backupType,
  type DownloadTargetKind,
  type Restore,
  type RestorePhase,
  restoreType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi, readObject } from '@lateen/kube';

export interface LogsSource {
  kind: DownloadTargetKind;
  /** The location that has the log, as far as the object names it. */
  location: string | undefined;
}

/** Phases in which the log is stored; during finalization it is being rewritten (cli.md section 7). */
const withLogs: ReadonlySet<BackupPhase | RestorePhase | undefined> = new Set<BackupPhase & RestorePhase>([
  'Completed',
  'PartiallyFailed',
  'Failed',
  'WaitingForPluginOperations',
  'WaitingForPluginOperationsPartiallyFailed',
]);

/** @throws AppError BACKUP_NOT_FOUND, in Velero's words (cli.md section 7) */
export async function findBackup(
  kube: KubeApi,
  { namespace, name }: { namespace: string; name: string },
  signal: AbortSignal,
): Promise<Backup> {
  return await kube.get(backupType, { namespace, name }, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) throw new AppError('BACKUP_NOT_FOUND', `backup "${name}" does not exist`);
    throw error;
  });
}

/** @throws AppError BACKUP_NOT_FOUND | LOGS_NOT_AVAILABLE, in Velero's words (cli.md section 7) */
export async function logsOfBackup(
  kube: KubeApi,
  key: { namespace: string; name: string },
  signal: AbortSignal,
): Promise<LogsSource> {
  const backup = await findBackup(kube, key, signal);
  if (withLogs.has(backup.status?.phase)) return { kind: 'BackupLog', location: backup.spec.storageLocation };
  throw new AppError(
    'LOGS_NOT_AVAILABLE',
    `logs for backup "${key.name}" are not available until it's finished processing, please wait until the backup has a phase of Completed or Failed and try again`,
  );
}

/** @throws AppError RESTORE_NOT_FOUND | LOGS_NOT_AVAILABLE, in Velero's words (cli.md section 7) */
export async function logsOfRestore(
  kube: KubeApi,
  { namespace, name }: { namespace: string; name: string },
  signal: AbortSignal,
): Promise<LogsSource> {
  const restore: Restore = await kube.get(restoreType, { namespace, name }, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) throw new AppError('RESTORE_NOT_FOUND', `Restore "${name}" does not exist.`);
    throw error;
  });
  if (!withLogs.has(restore.status?.phase))
    throw new AppError(
      'LOGS_NOT_AVAILABLE',
      `Logs for restore "${name}" are not available until it's finished processing. Please wait until the restore has a phase of Completed or Failed and try again.`,
    );
  return { kind: 'RestoreLog', location: await locationOfRestore(kube, restore, signal) };
}

/** The location of a restore's files, by its Backup. When the Backup or location is gone, the server reports it. */
export async function locationOfRestore(
  kube: KubeApi,
  { metadata: { namespace = '' }, spec: { backupName = '' } }: Restore,
  signal: AbortSignal,
): Promise<string | undefined> {
  const backup =
    backupName === '' ? undefined : await readObject(kube, backupType, { namespace, name: backupName }, signal);
  return backup?.spec.storageLocation;
}
