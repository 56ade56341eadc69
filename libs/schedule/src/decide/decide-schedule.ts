import type { Backup, BackupPhase, Schedule, ScheduleStatus } from '@lateen/api-types';
import type { CronTimes } from '@lateen/cron';
import { apiTime } from '@lateen/kube';
import { timeInBackupName } from './backup-name.ts';
import { isMadeBy } from './schedule-backup.ts';
import type { ScheduleCheck } from './validate-schedule.ts';

export interface ScheduleView {
  schedule: Schedule;
  check: ScheduleCheck;
  /** Backups with the label of the schedule's name. */
  backups: readonly Backup[];
  /** When this process last made a Backup of it, in ms; what is read may be older. */
  madeMs: number | undefined;
  /** How much later than its expression it runs. */
  laterMs: number;
  /** What the server says for a schedule that says nothing. */
  skipImmediately: boolean;
  nowMs: number;
}

export type ScheduleStep =
  /** Phase and errors, or that what is due now is left out. */
  | { kind: 'write'; status: ScheduleStatus; skip: boolean }
  | { kind: 'rest'; why: string }
  | { kind: 'wait'; afterMs: number }
  /** Due, and another Backup of it has not come far enough. */
  | { kind: 'delayed'; dueMs: number; behind: Backup }
  /** A Backup exists that the status does not record: the process that created it ended before it could record it. */
  | { kind: 'record'; madeMs: number }
  | { kind: 'run'; dueMs: number };

/**
 * Phases of a Backup that keep the next one of its schedule from being made. Beside those of Velero (New, InProgress) all that
 * wait for their turn: a second one behind them would find the same cluster, and make the queue longer for everybody.
 */
const holding: readonly (BackupPhase | undefined)[] = [undefined, 'New', 'Queued', 'ReadyToStart', 'InProgress'];

/** What is to be done about a schedule now; pure. Runs that were missed are one run. */
export function decideSchedule(view: ScheduleView): ScheduleStep {
  const { schedule, check, nowMs } = view;
  const wanted = wantedWrite(view);
  if (wanted !== undefined) return { kind: 'write', ...wanted };
  if (check.times === undefined || check.errors.length > 0) return { kind: 'rest', why: 'a change of its spec' };
  if (schedule.spec.paused === true) return { kind: 'rest', why: 'the end of its pause' };
  const unrecorded = unrecordedMs(view);
  if (unrecorded !== undefined) return { kind: 'record', madeMs: unrecorded };
  const dueMs = nextDueMs(view, check.times);
  if (dueMs === undefined) return { kind: 'rest', why: 'a change of its spec' };
  if (dueMs > nowMs) return { kind: 'wait', afterMs: dueMs - nowMs };
  const behind = view.backups.find(({ status, metadata }) => {
    return holding.includes(status?.phase) && metadata.deletionTimestamp === undefined;
  });
  return behind === undefined ? { kind: 'run', dueMs } : { kind: 'delayed', dueMs, behind };
}

/** Undefined when the status is as it should be. A skip waits for the end of a pause: what is due then is meant. */
function wantedWrite({ schedule, check, skipImmediately, nowMs }: ScheduleView) {
  const { spec, status } = schedule;
  const phase = check.errors.length > 0 ? 'FailedValidation' : 'Enabled';
  const skip = phase === 'Enabled' && spec.paused !== true && (spec.skipImmediately ?? skipImmediately);
  const isTrue = status?.phase === phase && sameTexts(status.validationErrors ?? [], check.errors);
  if (isTrue && !skip) return undefined;
  return {
    skip,
    status: { phase, validationErrors: check.errors, ...(skip ? { lastSkipped: apiTime(nowMs) } : {}) } as const,
  };
}

const sameTexts = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, at) => text === other[at]);

/** From the later of what was last made and last left out; from its creation when there is neither. */
function nextDueMs(view: ScheduleView, times: CronTimes): number | undefined {
  const { laterMs } = view;
  const next = times.next(baseMs(view) - laterMs);
  return next === undefined ? undefined : next + laterMs;
}

function baseMs(view: ScheduleView): number {
  const { metadata, status } = view.schedule;
  const made = lastMadeMs(view) || Date.parse(metadata.creationTimestamp ?? '') || view.nowMs;
  return Math.max(made, pastMs(view, Date.parse(status?.lastSkipped ?? '')));
}

const lastMadeMs = (view: ScheduleView): number =>
  Math.max(pastMs(view, Date.parse(view.schedule.status?.lastBackup ?? '')), pastMs(view, view.madeMs));

function unrecordedMs(view: ScheduleView): number | undefined {
  const { schedule, backups } = view;
  const { name = '' } = schedule.metadata;
  const made = backups
    .filter((backup) => isMadeBy(backup, schedule))
    .map(({ metadata }) => pastMs(view, timeInBackupName(name, metadata.name ?? '')));
  const newest = Math.max(0, ...made);
  return newest > lastMadeMs(view) ? newest : undefined;
}

/** Clocks of two processes differ by less than this. */
const clocksDifferMs = 60_000;

/** A time from before the clock was set back is none: else nothing would be backed up until it comes again. 0 for none. */
function pastMs({ nowMs }: ScheduleView, atMs: number | undefined): number {
  return atMs === undefined || Number.isNaN(atMs) || atMs > nowMs + clocksDifferMs ? 0 : atMs;
}
