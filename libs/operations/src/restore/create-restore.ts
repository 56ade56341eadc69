import {
  type Backup,
  type BackupPhase,
  backupType,
  getValidName,
  labels as labelKeys,
  type Restore,
  type RestoreSpec,
  restoreType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, listAll } from '@lateen/kube';
import { backupNoun, backupPhaseOf } from '../backup/backup-noun.ts';
import { findObject } from '../noun/find-objects.ts';
import { newRun, type WantedRun } from '../run/new-run.ts';
import { restoreNoun } from './restore-noun.ts';

/** Builds the Restore object; pure. */
export const newRestore = (wanted: WantedRun<Restore>): Restore => newRun(restoreNoun, wanted);

/** `<backup or schedule>-YYYYMMDDhhmmss`, in the machine's time zone, as Velero names restores (cli.md section 4). */
export function restoreName(source: string, atMs: number): string {
  const at = new Date(atMs);
  const parts = [at.getMonth() + 1, at.getDate(), at.getHours(), at.getMinutes(), at.getSeconds()];
  return `${source}-${at.getFullYear()}${parts.map((part) => String(part).padStart(2, '0')).join('')}`;
}

export interface RestoreSource {
  backup?: string | undefined;
  schedule?: string | undefined;
  /** For a schedule: a PartiallyFailed backup may be chosen too. */
  allowPartiallyFailed?: boolean | undefined;
}

/**
 * The source in the form of a spec. The backup has to exist; a schedule has to have a backup that can be restored. The server chooses which
 * one, except with `allowPartiallyFailed`: the API has no field for it, so the backup is named here (cli.md section 4).
 * @throws AppError BACKUP_NOT_FOUND, NO_BACKUP_OF_SCHEDULE
 */
export async function sourceOf(
  kube: KubeApi,
  namespace: string,
  { backup, schedule = '', allowPartiallyFailed = false }: RestoreSource,
  signal: AbortSignal,
): Promise<Pick<RestoreSpec, 'backupName' | 'scheduleName'>> {
  if (backup !== undefined) {
    await findObject(kube, backupNoun, { namespace, name: backup }, signal);
    return { backupName: backup };
  }
  const labelSelector = `${labelKeys.scheduleName}=${getValidName(schedule)}`;
  const { items } = await listAll(kube, backupType, { namespace, labelSelector, signal });
  const newest = newestSuitable(items, allowPartiallyFailed);
  if (newest === undefined) throw noneSuitable(schedule, items, allowPartiallyFailed);
  return allowPartiallyFailed ? { backupName: newest.metadata.name ?? '' } : { scheduleName: schedule };
}

/** The newest backup by start time that is Completed, or PartiallyFailed when that is allowed. */
function newestSuitable(backups: readonly Backup[], allowPartiallyFailed: boolean): Backup | undefined {
  const phases: readonly BackupPhase[] = allowPartiallyFailed ? ['Completed', 'PartiallyFailed'] : ['Completed'];
  const startOf = ({ status }: Backup) => status?.startTimestamp ?? '';
  return backups
    .filter((backup) => phases.includes(backupPhaseOf(backup)))
    .toSorted((a, b) => (startOf(a) < startOf(b) ? 1 : -1))[0];
}

function noneSuitable(schedule: string, backups: readonly Backup[], allowed: boolean): AppError {
  if (backups.length === 0)
    return new AppError('NO_BACKUP_OF_SCHEDULE', `No backups found for the schedule ${schedule}`);
  const isPartial = backups.some((backup) => backupPhaseOf(backup) === 'PartiallyFailed');
  const phases = allowed ? 'Completed or PartiallyFailed' : 'Completed';
  return new AppError(
    'NO_BACKUP_OF_SCHEDULE',
    `none of the ${backups.length} backups of the schedule ${schedule} is ${phases}`,
    isPartial && !allowed
      ? { nextStep: 'One that is PartiallyFailed is taken with --allow-partially-failed.' }
      : { nextStep: `See their state with: lateen backup get -l velero.io/schedule-name=${schedule}` },
  );
}

export async function createRestore(kube: KubeApi, restore: Restore, signal: AbortSignal): Promise<Restore> {
  return await kube.create(restoreType, restore, { signal });
}
