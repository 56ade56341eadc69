import { parseCron } from '@lateen/cron';
import { apiTime } from '@lateen/kube';
import type { RecurringJobStatus } from '@lateen/storage-types';
import { checkRecurringJob, normalizedRecurringJob } from '../checks/recurring-job-checks.ts';
import type { Decision, EventWish } from '../decision/decision.ts';
import { isAhead } from '../decision/is-ahead.ts';
import { cronProblem } from './cron-problem.ts';
import { dueRun } from './due-run.ts';
import { isForVolume } from './jobs-of-volume.ts';
import type { JobStep, RecurringRun, RecurringSeen, RecurringVolume } from './recurring-seen.ts';
import { whyNot } from './why-not.ts';
import { workOnVolume } from './work-on-volume.ts';

/**
 * The next step of a recurring job: begins a run when one is due, and continues the present run, `concurrency` volumes at a time. A run that has not
 * finished when the next one is due ends there; what it has begun stays, and counts for the retention.
 */
export function decideRecurring(seen: RecurringSeen, nowMs: number): Decision<RecurringJobStatus, JobStep> {
  const job = { ...seen.job, spec: normalizedRecurringJob({ name: seen.job.metadata.name ?? '', ...seen.job.spec }) };
  const status = job.status ?? {};
  const maxRetention = seen.settings.number('recurring-job-max-retention');
  const refused = checkRecurringJob({ spec: job.spec, maxRetention, existing: new Set() }, { cronProblem });
  if (refused !== undefined) {
    const event: EventWish = { type: 'Warning', reason: 'Refused', message: refused };
    return { status, effects: [], events: [event], waitsFor: `the job is never run: ${refused}` };
  }
  const sinceMs = Date.parse(seen.run?.dueAt ?? job.metadata.creationTimestamp ?? apiTime(nowMs));
  if (isAhead(sinceMs, nowMs) && isOver(seen.run)) return setBack(status, nowMs, job.spec.cron ?? '');
  const { dueMs, missedUntilMs, nextMs } = dueRun(parseCron(job.spec.cron ?? ''), sinceMs, nowMs);
  const volumes = new Map(
    seen.volumes
      .filter(({ volume, claimLabels }) =>
        isForVolume(job, {
          labels: volume.metadata.labels ?? {},
          ...(claimLabels === undefined ? {} : { claimLabels }),
        }),
      )
      .map((each) => [each.volume.metadata.name ?? '', each]),
  );
  const begun = dueMs !== undefined;
  const executionCount = (status.executionCount ?? 0) + (begun ? 1 : 0);
  const counted = { ...job, status: { ...status, executionCount } };
  const run = begun
    ? { dueAt: apiTime(dueMs), left: [...volumes.keys()].sort(), going: [] }
    : missedUntilMs === undefined
      ? seen.run
      : { dueAt: apiTime(missedUntilMs), left: [], going: [] };
  const next = run === undefined ? undefined : goOn({ ...seen, job: counted, run }, volumes);
  const note: JobStep[] = next === undefined || sameRun(next.run, seen.run) ? [] : [{ do: 'note-run', run: next.run }];
  const waiting = next?.waiting ?? [];
  return {
    status: begun ? { ...status, executionCount } : status,
    effects: [...note, ...(next?.steps ?? [])],
    // A recorded run is not processed again: its Events are sent with the record.
    events: (next?.events ?? []).map((event) => ({ ...event, ...(note[0] === undefined ? {} : { after: note[0] }) })),
    ...(nextMs === undefined ? {} : { again: { afterMs: nextMs - nowMs, reason: 'the next run' } }),
    ...(waiting.length === 0 ? {} : { waitsFor: `${waiting.join('; ')}; at the latest until the next run` }),
  };
}

const isOver = (run: RecurringRun | undefined): boolean =>
  run === undefined || run.left.length + run.going.length === 0;

/** The clock has jumped back: without a reset nothing would run until the old time is reached again. */
function setBack(status: RecurringJobStatus, nowMs: number, cron: string): Decision<RecurringJobStatus, JobStep> {
  const nextMs = parseCron(cron).next(nowMs);
  return {
    status,
    effects: [{ do: 'note-run', run: { dueAt: apiTime(nowMs), left: [], going: [] } }],
    events: [],
    ...(nextMs === undefined ? {} : { again: { afterMs: nextMs - nowMs, reason: 'the next run' } }),
  };
}

const sameRun = (a: RecurringRun, b: RecurringRun | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

interface GoneOn {
  readonly run: RecurringRun;
  readonly steps: readonly JobStep[];
  readonly events: readonly EventWish[];
  readonly waiting: readonly string[];
}

function goOn(
  { job, run, settings }: RecurringSeen & { run: RecurringRun },
  volumes: ReadonlyMap<string, RecurringVolume>,
): GoneOn {
  const { concurrency = 1, task } = job.spec;
  const steps: JobStep[] = [];
  const events: EventWish[] = [];
  const waiting: string[] = [];
  const going: string[] = [];
  const left = [...run.left];
  const trims: string[] = [];
  const told = (reason: string, message: string) => events.push({ type: 'Warning', reason, message });
  const work = (name: string, on: RecurringVolume): void => {
    if (task === 'filesystem-trim') {
      trims.push(name);
      return;
    }
    const found = workOnVolume({ job, dueAt: run.dueAt, on, settings });
    if ('failed' in found) told('Failed', `${task} of volume ${name} has failed: ${found.failed}`);
    if ('done' in found) return;
    going.push(name);
    if ('steps' in found) steps.push(...found.steps);
    else waiting.push(`volume ${name}: ${found.waits}`);
  };
  for (const name of run.going) {
    const on = volumes.get(name);
    if (on !== undefined && on.volume.metadata.deletionTimestamp === undefined) work(name, on);
  }
  while (left.length > 0 && going.length < concurrency) {
    const name = left.shift() ?? '';
    const on = volumes.get(name);
    if (on === undefined) continue;
    const because = whyNot(on.volume, task, settings);
    if (because === undefined) work(name, on);
    else told('Skipped', `${task} of volume ${name} is left out: ${because}`);
  }
  if (trims.length > 0) steps.push({ do: 'trim', volumes: trims, atOnce: concurrency });
  return { run: { dueAt: run.dueAt, left, going }, steps, events, waiting };
}
