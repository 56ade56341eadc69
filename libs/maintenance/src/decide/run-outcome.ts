import type { Job, Pod, RecentMaintenance } from '@lateen/api-types';
import { apiTime, containerEndText } from '@lateen/kube';
import { maintenanceJobNames } from '../job/maintenance-job.ts';
import { failurePrefix, parseTermination } from '../report/operation-report.ts';
import { endCondition, jobEnd, startedAt } from './job-state.ts';

/** Of a message in the status. */
export const outcomeLengthMax = 1_024;

/** What a Job that has ended leaves in status.recentMaintenance. The pod is only asked for the reason of a failure. */
export function runOutcome(job: Job, pod: Pod | undefined): RecentMaintenance {
  const end = jobEnd(job);
  const failed = end?.result !== 'Succeeded';
  return {
    result: failed ? 'Failed' : 'Succeeded',
    startTimestamp: startedAt(job),
    completeTimestamp: end === undefined || Number.isNaN(end.atMs) ? startedAt(job) : apiTime(end.atMs),
    ...(failed ? { message: failureText(job, pod).slice(0, outcomeLengthMax) } : {}),
  };
}

function failureText(job: Job, pod: Pod | undefined): string {
  const terminated = containerOf(pod)?.state?.terminated;
  const end = parseTermination(terminated?.message);
  if (end !== undefined && !end.succeeded) return end.error.message;
  if (terminated?.reason === 'OOMKilled') {
    return 'killed because it ran out of memory: raise podResources.memoryLimit for this repository in the ConfigMap of maintenance Jobs';
  }
  const said = terminated?.message ?? '';
  if (said.includes(failurePrefix)) return said.slice(said.lastIndexOf(failurePrefix) + failurePrefix.length).trim();
  if (said.trim() !== '') return said.trim().slice(-outcomeLengthMax);
  const { reason, message } = pod?.status ?? {};
  if (reason !== undefined) return `the pod ended: ${reason}${message === undefined ? '' : `: ${message}`}`;
  if (terminated !== undefined) return `the program ${containerEndText(terminated)} and said nothing`;
  const condition = endCondition(job);
  return `the Job failed: ${condition?.reason ?? 'unknown'}${condition?.message ? `: ${condition.message}` : ''}`;
}

/** The entry of a Job whose pod never ran, and why. */
export function stuckOutcome(job: Job, pod: Pod | undefined, nowMs: number): RecentMaintenance {
  return {
    result: 'Failed',
    startTimestamp: startedAt(job),
    completeTimestamp: apiTime(nowMs),
    message: `its pod did not start: ${hindrance(pod)}`.slice(0, outcomeLengthMax),
  };
}

function hindrance(pod: Pod | undefined): string {
  if (pod === undefined) return 'there is none; see the Events of the Job';
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') return scheduled.message ?? 'it was not scheduled';
  const waiting = containerOf(pod)?.state?.waiting;
  return [waiting?.reason ?? 'it is pending', waiting?.message].filter((part) => part !== undefined).join(': ');
}

/** Our container; for a Job of another creator, the first one. */
function containerOf(pod: Pod | undefined) {
  const all = pod?.status?.containerStatuses ?? [];
  return all.find(({ name }) => name === maintenanceJobNames.container) ?? all[0];
}
