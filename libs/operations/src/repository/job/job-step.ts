import type { ContainerStatus, CoreEvent, Job, Pod } from '@lateen/api-types';
import { AppError, plainLine } from '@lateen/errors';
import { endCondition } from '@lateen/maintenance';

/** The observed state of a Job at one moment. */
export interface JobSeen {
  /** Name of the Job, for messages. */
  name: string;
  job: Job | undefined;
  /** The last state is kept when the pod was deleted after its end. */
  pod: Pod | undefined;
  /** Events of the Job and of the pod, in any order. */
  events: readonly CoreEvent[];
}

export type JobStep =
  /** `why`: what prevents or delays the start; undefined while the start goes normally. */
  | { kind: 'starting'; why: string | undefined }
  | { kind: 'running'; pod: Pod }
  /** The container has ended, or the pod ended before its container started. */
  | { kind: 'ended'; pod: Pod }
  /** The Job will never run. `mayEnd`: a report of its pod may still arrive. */
  | { kind: 'hopeless'; error: AppError; mayEnd?: boolean };

/** Waiting reasons of containers that will never start. */
const hopelessReasons: Readonly<Record<string, string>> = {
  ErrImageNeverPull: 'Make the image of Deployment lateen-controller available on that node.',
  InvalidImageName: 'Correct the image of Deployment lateen-controller.',
};

/** Waiting reasons that every container passes through. */
const ordinaryReasons: readonly string[] = ['ContainerCreating', 'PodInitializing'];

/** The step that a Job has reached, by its state in the API; pure. */
export function jobStep(seen: JobSeen): JobStep {
  const { job, pod } = seen;
  if (pod !== undefined) {
    const state = containerOf(pod)?.state;
    const phase = pod.status?.phase ?? 'Pending';
    if (phase === 'Succeeded' || phase === 'Failed' || state?.terminated !== undefined) return { kind: 'ended', pod };
    if (state?.running !== undefined) return { kind: 'running', pod };
  }
  if (job === undefined)
    return hopeless('JOB_DELETED', `Job ${seen.name} was deleted before it ended`, 'Find out who deletes Jobs there.');
  const end = endCondition(job);
  if (end?.type === 'Failed') {
    const why = plainLine(`${end.reason}: ${end.message ?? ''}`);
    return { ...hopeless('JOB_FAILED', `Job ${seen.name} failed: ${why}`), mayEnd: true };
  }
  if (end !== undefined) {
    const lost = `Job ${seen.name} has succeeded, but its pod was gone before it could be asked for the result`;
    return { ...hopeless('JOB_POD_GONE', lost, 'Find out who deletes pods there.'), mayEnd: true };
  }
  return pod === undefined ? { kind: 'starting', why: whyNoPod(seen) } : startOf(seen, pod);
}

function startOf(seen: JobSeen, pod: Pod): JobStep {
  const waiting = containerOf(pod)?.state?.waiting;
  const step = hopelessReasons[waiting?.reason ?? ''];
  if (waiting !== undefined && step !== undefined)
    return hopeless('JOB_IMAGE', `pod ${pod.metadata.name} cannot start: ${wordsOf(waiting)}`, step);
  return { kind: 'starting', why: whyNotStarted(seen, pod, waiting) };
}

/** Why the API server rejects the pod, as the Job controller reports it in Events: a quota, pod security, a webhook. */
function whyNoPod({ job, events }: JobSeen): string | undefined {
  const refused = newest(events.filter((event) => isAbout(event, job) && event.reason === 'FailedCreate'));
  return refused && `no pod can be made: ${plainLine(refused.message ?? '')}`;
}

function whyNotStarted(
  { events }: JobSeen,
  pod: Pod,
  waiting: { reason?: string; message?: string } | undefined,
): string | undefined {
  const { name } = pod.metadata;
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False')
    return `pod ${name} is not scheduled: ${plainLine(scheduled.message ?? scheduled.reason ?? '')}`;
  if (waiting?.reason !== undefined && !ordinaryReasons.includes(waiting.reason))
    return `pod ${name} cannot start: ${wordsOf(waiting)}`;
  const told = events.filter((event) => isAbout(event, pod));
  const last = newest(told);
  if (last?.type === 'Warning') return `pod ${name}: ${plainLine(last.message ?? last.reason ?? '')}`;
  if (pod.spec.nodeName === undefined && scheduled === undefined)
    return `pod ${name} has no node, and no scheduler has handled it yet`;
  return undefined;
}

export const containerOf = (pod: Pod): ContainerStatus | undefined => pod.status?.containerStatuses?.[0];

function wordsOf({ reason, message }: { reason?: string; message?: string }): string {
  return plainLine([reason, message].filter((part) => part !== undefined && part !== '').join(': '));
}

function isAbout({ involvedObject: about }: CoreEvent, object: Job | Pod | undefined): boolean {
  if (object === undefined || about.kind !== object.kind || about.name !== object.metadata.name) return false;
  return !about.uid || object.metadata.uid === undefined || about.uid === object.metadata.uid;
}

function newest(events: readonly CoreEvent[]): CoreEvent | undefined {
  return events.toSorted((a, b) => timeOf(a) - timeOf(b)).at(-1);
}

function timeOf({ lastTimestamp, eventTime, metadata }: CoreEvent): number {
  return Date.parse(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '') || 0;
}

function hopeless(code: string, message: string, nextStep?: string): Extract<JobStep, { kind: 'hopeless' }> {
  return { kind: 'hopeless', error: new AppError(code, message, nextStep === undefined ? {} : { nextStep }) };
}
