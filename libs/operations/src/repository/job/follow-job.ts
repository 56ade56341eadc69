import type { Job, Pod } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { podEndReason } from '@lateen/exposer';
import { type Clock, durationText } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import { endCondition, type OperationEnd, parseTermination } from '@lateen/maintenance';
import { JobSight } from './job-sight.ts';
import { type JobStep, jobStep } from './job-step.ts';
import { type OperationProgress, type ReadReports, readReports } from './read-reports.ts';
import type { TaskPorts } from './task-ports.ts';

export const followJobLimits = {
  /** A pod that does not run after so long does not run without help. */
  startMsMax: 300_000,
  /** Job and pod are told of by two watches: the one may know of an end so much later than the other. */
  settleMs: 5_000,
  /** The Job controller of a busy cluster writes so much later that the Job has ended. */
  concludeMs: 30_000,
  /** With nothing to wait for but a change it is looked again after so long all the same. */
  idleMs: 60_000,
} as const;

export interface FollowJobEvents {
  /** Why it does not run yet. */
  onWait(why: string): void;
  onProgress(progress: OperationProgress): void;
  /** Something that the person should know, and that is no failure. */
  onRemark(text: string): void;
}

/**
 * Follows a Job to its end and returns what it reported, be it success or failure.
 * @throws JOB_NOT_STARTED, JOB_DELETED, JOB_FAILED, JOB_IMAGE, JOB_POD_GONE with the reason; JOB_NO_REPORT with how the pod ended and what
 *   it said last; KUBE_…. On abort: rejects, the Job goes on.
 */
export async function followJob(
  ports: TaskPorts,
  job: Job,
  events: FollowJobEvents,
  signal: AbortSignal,
): Promise<OperationEnd> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const sight = new JobSight(ports, job);
  const watching = sight.run(either);
  try {
    return await followed(ports, job, { sight, log: new JobLog(ports, events, either), events }, either);
  } finally {
    stop.abort(new AppError('STOPPED', 'nobody follows the Job any more'));
    await watching;
  }
}

interface Following {
  sight: JobSight;
  log: JobLog;
  events: FollowJobEvents;
}

async function followed(
  { clock }: TaskPorts,
  job: Job,
  { sight, log, events }: Following,
  signal: AbortSignal,
): Promise<OperationEnd> {
  const startedMs = clock.monotonicMs();
  let hopelessMs: number | undefined;
  for (;;) {
    const seen = sight.now();
    const step: JobStep = seen === undefined ? { kind: 'starting', why: undefined } : jobStep(seen);
    sight.watchEvents(seen !== undefined && step.kind === 'starting', signal);
    let waitMs: number = followJobLimits.idleMs;
    if (step.kind === 'ended') {
      const end = await log.end(step.pod);
      await concluded(clock, sight, signal);
      return end;
    }
    if (step.kind === 'running') log.follow(step.pod);
    if (step.kind === 'hopeless') {
      hopelessMs ??= clock.monotonicMs();
      waitMs = step.mayEnd === true ? hopelessMs + followJobLimits.settleMs - clock.monotonicMs() : 0;
      if (waitMs <= 0) throw step.error;
    }
    if (step.kind === 'starting') {
      const leftMs = startedMs + followJobLimits.startMsMax - clock.monotonicMs();
      if (leftMs <= 0) throw notStarted(job, step.why);
      if (step.why !== undefined) events.onWait(step.why);
      waitMs = Math.min(waitMs, leftMs);
    }
    await sight.changed(waitMs, signal);
  }
}

/**
 * Waits until the Job says itself that it has ended, or is gone. The pod ends first; whoever starts the next Job in between would
 * be refused, because this one still counts as at work.
 */
async function concluded(clock: Clock, sight: JobSight, signal: AbortSignal): Promise<void> {
  const untilMs = clock.monotonicMs() + followJobLimits.concludeMs;
  for (;;) {
    const job = sight.now()?.job;
    const leftMs = untilMs - clock.monotonicMs();
    if (job === undefined || endCondition(job) !== undefined || leftMs <= 0) return;
    await sight.changed(leftMs, signal);
  }
}

function notStarted(job: Job, why: string | undefined): AppError {
  return new AppError(
    'JOB_NOT_STARTED',
    `Job ${job.metadata.name} did not start within ${durationText(followJobLimits.startMsMax)}: ${why ?? 'its pod is still being started'}`,
    { retry: 'later', nextStep: 'Correct the cause, then start again.' },
  );
}

/** The log of a Job's pod, read while it is written. */
class JobLog {
  readonly #ports: TaskPorts;
  readonly #events: FollowJobEvents;
  readonly #signal: AbortSignal;
  readonly #ended = new AbortController();
  #reading: Promise<ReadReports | { failed: unknown }> | undefined;

  constructor(ports: TaskPorts, events: FollowJobEvents, signal: AbortSignal) {
    this.#ports = ports;
    this.#events = events;
    this.#signal = signal;
  }

  follow(pod: Pod): void {
    const signals = { ended: this.#ended.signal, signal: this.#signal };
    this.#reading ??= readReports(this.#ports, keyOf(pod), (progress) => this.#events.onProgress(progress), signals)
      // Looked at when the pod has ended.
      .catch((error: unknown) => ({ failed: error }));
  }

  /** What the ended pod has reported; its termination message stands in for a log that cannot be read. */
  async end(pod: Pod): Promise<OperationEnd> {
    this.follow(pod);
    this.#ended.abort(new AppError('ENDED', 'the container has ended'));
    const read = await this.#reading;
    this.#signal.throwIfAborted();
    const reports = read === undefined || 'failed' in read ? { end: undefined, lastLine: '' } : read;
    const cause = read !== undefined && 'failed' in read ? read.failed : undefined;
    const end = reports.end ?? parseTermination(terminationOf(pod));
    if (end === undefined) throw noReport(pod, reports.lastLine, cause);
    if (reports.end === undefined && isShortened(end)) throw logUnreadable(pod, cause);
    return end;
  }
}

/** A termination message has room for figures, not for a list of volumes. */
function isShortened(end: OperationEnd): boolean {
  return (
    end.operation === 'usage' && end.succeeded && end.result.volumes.length === 0 && end.result.referencedBytes > 0
  );
}

function logUnreadable(pod: Pod, cause: unknown): AppError {
  return new AppError('JOB_LOG_UNREADABLE', `the result in the log of pod ${pod.metadata.name} cannot be read`, {
    ...(cause === undefined ? {} : { cause }),
  });
}

const terminationOf = (pod: Pod): string | undefined => pod.status?.containerStatuses?.[0]?.state?.terminated?.message;

const endSteps: readonly (readonly [RegExp, string])[] = [
  [
    /OOMKilled/,
    'Give such Jobs more memory: podResources in the ConfigMap of --repo-maintenance-job-configmap, or limits of the nodes.',
  ],
  [/Evicted|Preempt|Shutdown|Terminat|NodeLost|TaintManager/, 'It was ended from outside: start again.'],
  [
    /executable file not found|StartError/,
    'The image of Deployment lateen-controller has no repo-maintenance: upgrade it.',
  ],
];

function noReport(pod: Pod, lastLine: string, cause: unknown): AppError {
  const reason = podEndReason(pod);
  const said = lastLine === '' || reason.includes(lastLine) ? '' : `; it said last: ${lastLine}`;
  const terminated = pod.status?.containerStatuses?.[0]?.state?.terminated?.reason ?? '';
  const step = endSteps.find(([pattern]) => pattern.test(`${terminated} ${reason}`));
  return new AppError('JOB_NO_REPORT', `pod ${pod.metadata.name} ended without a report: ${reason}${said}`, {
    ...(cause === undefined ? {} : { cause }),
    ...(step === undefined ? {} : { nextStep: step[1] }),
  });
}
