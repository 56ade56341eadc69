import { annotations, type Schedule, type ScheduleStatus, scheduleType } from '@lateen/api-types';
import { intervalMs } from '@lateen/cron';
import { apiTime, isNotFound, keyText, type ObjectKey, readObject } from '@lateen/kube';
import { again, eventSubject, type Outcome, type Reconciler, settled, waiting } from '@lateen/kube-runtime';
import { decideSchedule, type ScheduleStep, type ScheduleView } from '../decide/decide-schedule.ts';
import { jitterOf } from '../decide/jitter.ts';
import { validateSchedule } from '../decide/validate-schedule.ts';
import { makeBackup } from './make-backup.ts';
import { type SchedulePorts, scheduleReasons } from './schedule-ports.ts';

/** What is kept of a schedule between looks: only against caches that are behind, and against telling twice. */
interface Remembered {
  uid: string | undefined;
  madeMs?: number;
  jitterWarning?: string;
  /** The run that was told to be delayed. */
  delayedMs?: number;
}

/** Makes the Backups of Schedules when they are due (api.md section 4). There is one timer per schedule and nothing that ticks. */
export function scheduleReconciler(ports: SchedulePorts): Reconciler {
  const memory = new Map<string, Remembered>();
  return {
    reconcile: async (key, signal) => {
      const schedule = ports.getSchedule(key);
      if (schedule === undefined || schedule.metadata.deletionTimestamp !== undefined) {
        memory.delete(keyText(key));
        ports.observer?.interval(key.name, undefined);
        return settled;
      }
      const remembered = rememberedOf(memory, key, schedule);
      const view = viewOf(ports, schedule, remembered);
      observe(ports, view);
      return await apply(ports, { key, remembered }, { view, step: decideSchedule(view) }, signal);
    },
  };
}

interface Subject {
  key: ObjectKey;
  remembered: Remembered;
}

async function apply(
  ports: SchedulePorts,
  subject: Subject,
  { view, step }: { view: ScheduleView; step: ScheduleStep },
  signal: AbortSignal,
): Promise<Outcome> {
  const { schedule } = view;
  switch (step.kind) {
    case 'write':
      await write(ports, schedule, step, signal);
      return waiting('what was written');
    case 'rest':
      return waiting(step.why);
    case 'wait':
      return again(step.afterMs, 'the next Backup is due then');
    case 'delayed':
      tellDelayed(ports, subject, schedule, step);
      return waiting(`Backup ${step.behind.metadata.name}, which is ${step.behind.status?.phase ?? 'New'}`);
    case 'record':
      await record(ports, subject, schedule, step.madeMs, signal);
      return waiting('what was written');
    case 'run':
      return await run(ports, subject, signal);
    default:
      return step satisfies never;
  }
}

/** Decides once more by what the API server has: a process that led before may have made the Backup. */
async function run(ports: SchedulePorts, subject: Subject, signal: AbortSignal): Promise<Outcome> {
  const schedule = await readObject(ports.kube, scheduleType, subject.key, signal);
  if (schedule === undefined) return settled;
  const view = viewOf(ports, schedule, subject.remembered);
  const step = decideSchedule(view);
  if (step.kind !== 'run') return await apply(ports, subject, { view, step }, signal);
  const madeMs = await makeBackup(ports, schedule, step.dueMs, signal);
  subject.remembered.madeMs = madeMs;
  await record(ports, subject, schedule, madeMs, signal);
  return again(0, 'when the next Backup is due');
}

async function record(
  { kube }: SchedulePorts,
  { key, remembered }: Subject,
  schedule: Schedule,
  madeMs: number,
  signal: AbortSignal,
): Promise<void> {
  remembered.madeMs = Math.max(madeMs, remembered.madeMs ?? 0);
  const { uid } = schedule.metadata;
  // The uid is not to be changed, so the write is refused when it is another schedule by now.
  const body = { metadata: { uid }, status: { lastBackup: apiTime(madeMs) } };
  await kube.patch(scheduleType, key, { type: 'merge', body }, { signal }).catch(unlessGone);
}

async function write(
  { kube, events, log }: SchedulePorts,
  schedule: Schedule,
  { status, skip }: { status: ScheduleStatus; skip: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { name = '', namespace, resourceVersion } = schedule.metadata;
  const errors = status.validationErrors ?? [];
  const body = {
    metadata: { resourceVersion },
    ...(skip ? { spec: { skipImmediately: false } } : {}),
    status: { ...status, validationErrors: errors.length === 0 ? null : errors },
  };
  await kube.patch(scheduleType, { namespace, name }, { type: 'merge', body }, { signal }).catch(unlessGone);
  if (errors.length === 0) return;
  log.warn({ schedule: name, errors }, 'the schedule is invalid');
  events.record(eventSubject(schedule), scheduleReasons.invalid, errors.join('; '), { type: 'Warning' });
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

function viewOf(ports: SchedulePorts, schedule: Schedule, remembered: Remembered): ScheduleView {
  const nowMs = ports.clock.now();
  const { laterMs, warning } = jitterOf(schedule);
  if (warning !== undefined && remembered.jitterWarning !== warning) {
    ports.log.warn({ schedule: schedule.metadata.name, annotation: annotations.jitter }, warning);
    ports.events.record(eventSubject(schedule), scheduleReasons.jitterInvalid, warning, { type: 'Warning' });
  }
  remembered.jitterWarning = warning ?? '';
  return {
    schedule,
    check: validateSchedule(schedule, nowMs),
    backups: ports.backupsOf(schedule.metadata.name ?? ''),
    madeMs: remembered.madeMs,
    laterMs,
    skipImmediately: ports.skipImmediately,
    nowMs,
  };
}

function observe({ observer }: SchedulePorts, { schedule, check, nowMs }: ScheduleView): void {
  if (observer === undefined) return;
  const inForce = check.errors.length === 0 && schedule.spec.paused !== true && check.times !== undefined;
  observer.interval(schedule.metadata.name ?? '', inForce && check.times ? intervalMs(check.times, nowMs) : undefined);
}

function tellDelayed(
  { events, log }: SchedulePorts,
  { remembered }: Subject,
  schedule: Schedule,
  { dueMs, behind }: { dueMs: number; behind: { metadata: { name?: string }; status?: { phase?: string } } },
): void {
  if (remembered.delayedMs === dueMs) return;
  remembered.delayedMs = dueMs;
  const why = `the Backup that is due since ${apiTime(dueMs)} is made when Backup ${behind.metadata.name} is further: it is ${behind.status?.phase ?? 'New'}`;
  log.info({ schedule: schedule.metadata.name, behind: behind.metadata.name }, why);
  events.record(eventSubject(schedule), scheduleReasons.backupDelayed, why);
}

/** One that was deleted and made again is another schedule. */
function rememberedOf(memory: Map<string, Remembered>, key: ObjectKey, { metadata }: Schedule): Remembered {
  const known = memory.get(keyText(key));
  if (known !== undefined && known.uid === metadata.uid) return known;
  const fresh: Remembered = { uid: metadata.uid };
  memory.set(keyText(key), fresh);
  return fresh;
}
