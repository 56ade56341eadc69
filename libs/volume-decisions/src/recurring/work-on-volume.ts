import {
  type Backup,
  backupLabels,
  backupStateOf,
  isBackupOver,
  type RecurringJob,
  type Snapshot,
} from '@lateen/storage-types';
import type { Settings } from '../settings/read-settings.ts';
import { beyond, isTaken, madeBy, timeOf } from './kept-of-job.ts';
import type { JobStep, RecurringVolume } from './recurring-seen.ts';
import { namesOfRun } from './run-names.ts';

/** What a run has to do for a volume now; `done` with a reason after a failure. */
export type VolumeWork =
  | { readonly steps: readonly JobStep[] }
  | { readonly waits: string }
  | { readonly done: true; readonly failed?: string };

export interface WorkSeen {
  readonly job: RecurringJob;
  readonly dueAt: string;
  readonly on: RecurringVolume;
  readonly settings: Settings;
}

export function workOnVolume(seen: WorkSeen): VolumeWork {
  const { task } = seen.job.spec;
  if (task === 'snapshot' || task === 'snapshot-force-create') return snapshotWork(seen);
  if (task === 'backup' || task === 'backup-force-create') return backupWork(seen);
  if (task === 'snapshot-cleanup' || task === 'snapshot-delete') return removalWork(seen);
  return { done: true };
}

const stepsOrDone = (steps: readonly JobStep[]): VolumeWork => (steps.length === 0 ? { done: true } : { steps });
const nameOf = ({ metadata }: { metadata: { name?: string } }): string => metadata.name ?? '';
const retainOf = ({ spec }: RecurringJob): number => spec.retain ?? 0;

function snapshotWork(seen: WorkSeen): VolumeWork {
  const { found, outdated, create } = snapshotOfRun(seen, retainOf(seen.job));
  if (found === undefined) return create;
  if ((found.status?.error ?? '') !== '') return { done: true, failed: found.status?.error ?? '' };
  return isTaken(found) ? stepsOrDone(outdated) : { waits: `snapshot ${nameOf(found)} is being taken` };
}

/** The snapshot of this run, the deletion of surplus ones, and the creation of the snapshot. */
function snapshotOfRun({ job, dueAt, on }: WorkSeen, retain: number) {
  const [volume, name] = [nameOf(on.volume), nameOf(job)];
  const names = namesOfRun(name, volume, dueAt);
  const found = on.snapshots.find((each) => nameOf(each) === names.snapshot);
  const mine = madeBy(name, on.snapshots);
  const outdated = beyond(mine.filter(isTaken), retain).map(
    (each): JobStep => ({ do: 'delete-snapshot', volume, name: each }),
  );
  // The tasks without force free space first; they create nothing while that is not possible.
  const roomFirst = job.spec.task === 'snapshot' || job.spec.task === 'backup';
  const create: JobStep = { do: 'create-snapshot', volume, name: names.snapshot, labels: labelsOf(job) };
  return { found, outdated, names, volume, create: { steps: roomFirst && outdated.length > 0 ? outdated : [create] } };
}

const labelsOf = (job: RecurringJob) => ({ ...job.spec.labels, [backupLabels.recurringJob]: nameOf(job) });

function backupWork(seen: WorkSeen): VolumeWork {
  const { job, on, settings } = seen;
  // The snapshot of the newest backup is what the next one is compared with.
  const retain = settings.flag('auto-cleanup-recurring-job-backup-snapshot') ? 1 : Math.max(retainOf(job), 1);
  const { found, outdated, names, volume, create } = snapshotOfRun(seen, retain);
  const mine = madeBy(nameOf(job), on.backups);
  const backup = on.backups.find((each) => nameOf(each) === names.backup);
  if (backup !== undefined) return afterBackup(seen, backup, mine, outdated);
  const other = mine.find((each) => !isBackupOver(each));
  if (other !== undefined) return { waits: `backup ${nameOf(other)} of an earlier run is still running` };
  if (found === undefined) return create;
  if ((found.status?.error ?? '') !== '') return { done: true, failed: found.status?.error ?? '' };
  if (!isTaken(found)) return { waits: `snapshot ${nameOf(found)} is being taken` };
  return { steps: [backupOf(job, on, { volume, name: names.backup, snapshot: nameOf(found) })] };
}

function afterBackup(
  { job }: WorkSeen,
  backup: Backup,
  mine: readonly Backup[],
  outdated: readonly JobStep[],
): VolumeWork {
  const state = backupStateOf(backup);
  if (state === 'Error') return { done: true, failed: backup.status?.error ?? 'the backup has failed' };
  if (state === 'Deleting') return { done: true };
  if (state !== 'Completed') return { waits: `backup ${nameOf(backup)} is running` };
  const whole = mine.filter((each) => backupStateOf(each) === 'Completed');
  const volume = backup.status?.volumeName ?? '';
  const steps = beyond(whole, retainOf(job)).map((name): JobStep => ({ do: 'delete-backup', volume, name }));
  return stepsOrDone([...steps, ...outdated]);
}

function backupOf(
  job: RecurringJob,
  { volume: object }: RecurringVolume,
  names: { volume: string; name: string; snapshot: string },
): JobStep {
  const every = Number(job.spec.parameters?.['full-backup-interval'] ?? '0');
  const full = Number.isSafeInteger(every) && every > 0 && (job.status?.executionCount ?? 0) % every === 0;
  const { accessMode } = object.spec;
  const labels = {
    ...labelsOf(job),
    ...(accessMode === undefined ? {} : { [backupLabels.accessMode]: accessMode }),
    [backupLabels.kubernetesStatus]: JSON.stringify(object.status?.kubernetesStatus ?? {}),
  };
  return { do: 'create-backup', ...names, labels, mode: full ? 'full' : 'incremental' };
}

/**
 * `snapshot-cleanup` removes snapshots that no user has requested, `snapshot-delete` those beyond the newest of all that existed when the run was
 * due. Never while a replica is rebuilt, because it is copied from one of them. The controller of the Snapshots merges what is marked as removed.
 */
function removalWork({ job, dueAt, on }: WorkSeen): VolumeWork {
  if (Object.values(on.engine?.status?.replicaModeMap ?? {}).includes('WO'))
    return { waits: 'a replica is being rebuilt' };
  const volume = nameOf(on.volume);
  const dueMs = Date.parse(dueAt);
  const there = on.snapshots.filter((each) => each.metadata.deletionTimestamp === undefined && isTaken(each));
  const old = there.filter((each: Snapshot) => timeOf(each) <= dueMs);
  const names =
    job.spec.task === 'snapshot-cleanup'
      ? old.filter(({ status }) => status?.userCreated === false).map(nameOf)
      : beyond(old, retainOf(job));
  return stepsOrDone(names.map((name): JobStep => ({ do: 'delete-snapshot', volume, name })));
}
