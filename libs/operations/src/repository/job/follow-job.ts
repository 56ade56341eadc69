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
  /** How long a pod may take to start; after that it will not start without help. */
  startMsMax: 300_000,
  /** Job and pod are observed by two watches: one may learn of an end this much later than the other. */
  settleMs: 5_000,
  /** How much later the Job controller of a busy cluster may record that the Job has ended. */
  concludeMs: 30_000,
  /** How often the state is checked when no change arrives. */
  idleMs: 60_000,
} as const;

export interface FollowJobEvents {
  /** Called with the reason why the Job does not run yet. */
  onWait(why: string): void;
  onProgress(progress: OperationProgress): void;
  /** Called with a remark for the user that is not a failure. */
  onRemark(text: string): void;
}

/**
 * Follows a Job to its end and returns what it reported, success or failure.
 * @throws JOB_NOT_STARTED, JOB_DELETED, JOB_FAILED, JOB_IMAGE, JOB_POD_GONE with the reason; JOB_NO_REPORT with how the pod ended and its
 *   last output; KUBE_…. On abort: rejects, and the Job continues.
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
 * Waits until the Job's own status says that it has ended, or the Job is gone. Its pod ends first; a Job started in between would be
 * refused, because this one still counts as running.
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

/** The log of a Job's pod, read while the pod writes it. */
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
      // The error is handled when the pod has ended.
      .catch((error: unknown) => ({ failed: error }));
  }

  /** The report of the ended pod; its termination message replaces a log that cannot be read. */
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

/** A termination message has room for numbers, but not for a list of volumes. */
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
