import type { Pod } from '@lateen/api-types';
import { interruptions } from './interruption.ts';
import { disruption } from './pod-loss.ts';
import type { PodLost } from './verdict.ts';

/** A pod that is gone, as it was when last seen. */
export function deletedPod(last: Pod | undefined): PodLost {
  const because = last === undefined ? undefined : disruption(last);
  if (because === undefined) return { code: 'DATA_PATH_POD_GONE', words: 'was deleted before it ended' };
  return { code: because, words: `was deleted before it ended: ${interruptions[because]}` };
}

/**
 * When a pod that has not ended is to be looked at again, because it may never end; undefined while nothing is wrong.
 * A terminating pod whose kubelet is gone stays as it is for ever, and its deletionTimestamp is the end of its grace
 * period (core/v1, ObjectMeta); phase Unknown means that its node cannot be asked.
 */
export function overdueAtMs(pod: Pod, options: { nowMs: number; terminatingMs: number }): number | undefined {
  const { deletionTimestamp } = pod.metadata;
  if (deletionTimestamp) return Date.parse(deletionTimestamp) + options.terminatingMs;
  return pod.status?.phase === 'Unknown' ? options.nowMs + options.terminatingMs : undefined;
}

/** The same pod when that time has come and nothing has changed. */
export function overduePod(pod: Pod): PodLost {
  const since = pod.metadata.deletionTimestamp;
  const words = since ? `should have ended by ${since} and has not` : 'is of phase Unknown';
  return { code: 'DATA_PATH_NODE_LOST', words: `${words}: its node does not answer` };
}
