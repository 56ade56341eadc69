import { eventType, type Job, jobType, type Pod, podType } from '@lateen/api-types';
import { AppError, isAppError } from '@lateen/errors';
import { podEndReason } from '@lateen/exposer';
import { isOwnedBy, keyOf, readObject } from '@lateen/kube';
import { type OperationEnd, parseTermination } from '@lateen/maintenance';
import { type JobSeen, jobStep } from './job-step.ts';
import { type OperationProgress, type ReadReports, readReports } from './read-reports.ts';
import type { TaskPorts } from './task-ports.ts';

export const followJobLimits = {
  /** Between two looks at Job and pod; the log comes by itself. */
  pollMs: 1_000,
  /** A pod that does not run after so long does not run without help. */
  startMsMax: 300_000,
  /** The API server may be away for so long without the Job being given up. */
  awayMsMax: 120_000,
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
 * @throws JOB_NOT_STARTED, JOB_DELETED, JOB_FAILED, JOB_IMAGE with the reason; JOB_NO_REPORT with how the pod ended and what
 *   it said last; KUBE_…. On abort: rejects, the Job goes on.
 */
export async function followJob(
  ports: TaskPorts,
  job: Job,
  events: FollowJobEvents,
  signal: AbortSignal,
): Promise<OperationEnd> {
  const { clock } = ports;
  const stop = new AbortController();
  const log = new JobLog(ports, events, AbortSignal.any([signal, stop.signal]));
  const startedMs = clock.now();
  let lookedMs = startedMs;
  try {
    for (;;) {
      const seen = await look(ports, job, signal).catch((error) => {
        if (!isPassing(error) || clock.now() - lookedMs > followJobLimits.awayMsMax) throw error;
        return undefined;
      });
      if (seen !== undefined) {
        lookedMs = clock.now();
        const step = jobStep(seen);
        if (step.kind === 'hopeless') throw step.error;
        if (step.kind === 'running') log.follow(step.pod);
        if (step.kind === 'ended') return await log.end(step.pod);
        if (step.kind === 'starting') {
          if (clock.now() - startedMs >= followJobLimits.startMsMax) throw notStarted(job, step.why);
          if (step.why !== undefined) events.onWait(step.why);
        }
      }
      await clock.sleep(followJobLimits.pollMs, signal);
    }
  } finally {
    stop.abort(new AppError('STOPPED', 'nobody follows the Job any more'));
  }
}

/** One look; Events are only asked for while they can say something. */
async function look({ kube }: TaskPorts, owned: Job, signal: AbortSignal): Promise<JobSeen> {
  const { name = '', namespace = '', uid } = owned.metadata;
  const labelSelector = `batch.kubernetes.io/job-name=${name}`;
  const [job, { items }] = await Promise.all([
    readObject(kube, jobType, { namespace, name }, signal),
    kube.list(podType, { namespace, labelSelector, signal }),
  ]);
  const pod = items.find((each) => isOwnedBy(each, owned));
  const seen = { name, job: job?.metadata.uid === uid ? job : undefined, pod, events: [] };
  if (jobStep(seen).kind !== 'starting') return seen;
  const about = pod ?? job;
  if (about === undefined) return seen;
  const fieldSelector = `involvedObject.name=${about.metadata.name}`;
  const events = await kube.list(eventType, { namespace, fieldSelector, signal }).catch((error) => {
    // Without the right to read Events the rest still works.
    if (isAppError(error, 'KUBE_FORBIDDEN')) return { items: [] };
    throw error;
  });
  return { ...seen, events: events.items };
}

const isPassing = (error: unknown): boolean =>
  isAppError(error) && error.retry !== 'never' && error.code !== 'KUBE_FORBIDDEN' && error.code !== 'KUBE_UNAUTHORIZED';

function notStarted(job: Job, why: string | undefined): AppError {
  const seconds = followJobLimits.startMsMax / 1000;
  return new AppError(
    'JOB_NOT_STARTED',
    `Job ${job.metadata.name} did not start within ${seconds} s: ${why ?? 'its pod is still being started'}`,
    { retry: 'later', nextStep: 'Remove what is in its way, then start again.' },
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
