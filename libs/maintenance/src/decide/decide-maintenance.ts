import type { BackupRepository, BackupStorageLocation, Job } from '@lateen/api-types';
import { excludeEachOther, operationOf } from '../job/task-exclusion.ts';
import { isMaintenance, isRecorded, jobEnd, startedMs } from './job-state.ts';
import { maintenanceDueMs } from './maintenance-due.ts';

/** A Job whose pod does not run after so long is given up: it holds one of the few places. */
export const podStartMs = 600_000;

export interface MaintenanceView {
  repository: BackupRepository;
  /** Undefined: there is none. */
  location: BackupStorageLocation | undefined;
  /** All Jobs with the repository's label. */
  jobs: readonly Job[];
  /** How many ended ones are kept. */
  keepLatest: number;
  nowMs: number;
}

export type MaintenanceStep =
  /** Runs that have ended go into the status. */
  | { kind: 'record'; jobs: readonly Job[] }
  /** These are no longer needed. */
  | { kind: 'delete'; jobs: readonly Job[] }
  /** Something is being done with the repository that keeps maintenance out. `lookMs`: when to look whether its pod runs. */
  | { kind: 'running'; job: Job; lookMs?: number }
  /** Its pod has not begun to run for too long. */
  | { kind: 'stuck'; job: Job }
  | { kind: 'run'; dueMs: number }
  | { kind: 'wait'; afterMs: number }
  /** Nothing to do until something changes. */
  | { kind: 'rest'; why: string };

/**
 * The next step of one repository's maintenance; pure. It never runs beside a Job that it excludes, whatever created that Job; ended Jobs are
 * recorded before anything else begins, so a controller that was down misses nothing.
 */
export function decideMaintenance(view: MaintenanceView): MaintenanceStep {
  const { repository, jobs, keepLatest, nowMs } = view;
  const maintenance = jobs.filter(isMaintenance).sort((a, b) => startedMs(a) - startedMs(b));
  const ended = maintenance.filter((job) => jobEnd(job) !== undefined);
  const news = ended.filter((job) => !isRecorded(job, repository));
  if (news.length > 0) return { kind: 'record', jobs: news };
  const given = maintenance.filter((job) => jobEnd(job) === undefined && isRecorded(job, repository));
  // The others are a person's, who has not seen the end yet maybe; the cluster deletes them.
  const kept = ended.filter((job) => job.spec.ttlSecondsAfterFinished === undefined);
  const surplus = [...given, ...kept.slice(0, Math.max(kept.length - keepLatest, 0))].filter(isThere);
  if (surplus.length > 0) return { kind: 'delete', jobs: surplus };
  const active = jobs.find(
    (job) => jobEnd(job) === undefined && excludeEachOther(repository, 'maintain', operationOf(job)),
  );
  if (active !== undefined) return running(active, nowMs);
  const why = hindrance(view);
  if (why !== undefined) return { kind: 'rest', why };
  const dueMs = maintenanceDueMs(repository);
  if (dueMs === undefined) return { kind: 'rest', why: 'no maintenance frequency is set' };
  return dueMs <= nowMs ? { kind: 'run', dueMs } : { kind: 'wait', afterMs: dueMs - nowMs };
}

/** A pod that is not ready may not have begun; whether it has, only a look at it says. */
function running(job: Job, nowMs: number): MaintenanceStep {
  if (!isMaintenance(job) || Number(job.status?.ready ?? 0) > 0) return { kind: 'running', job };
  const leftMs = startedMs(job) + podStartMs - nowMs;
  return leftMs > 0 ? { kind: 'running', job, lookMs: leftMs } : { kind: 'stuck', job };
}

/** Maintenance writes, so it needs a location that can be written to, and a repository that opens. */
function hindrance({ repository, location }: MaintenanceView): string | undefined {
  if (repository.status?.phase !== 'Ready') return 'the repository is not ready';
  if (location === undefined) return 'its location does not exist';
  if (location.spec.accessMode === 'ReadOnly') return 'its location is read-only';
  return location.status?.phase === 'Available' ? undefined : 'its location is not available';
}

const isThere = ({ metadata }: Job): boolean => metadata.deletionTimestamp === undefined;
