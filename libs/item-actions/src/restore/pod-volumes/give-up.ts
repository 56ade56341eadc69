import { annotations, type Pod, type PodVolumeRestore, podVolumeRestoreType } from '@lateen/api-types';
import { durationText } from '@lateen/kernel';
import { isNotFound, keyOf } from '@lateen/kube';
import type { RestoreOperationContext } from '../../contract/restore-item-action.ts';
import { waitingPod } from './waiting-pod.ts';
import type { WaitFacts } from './what-it-waits-for.ts';

/**
 * How long a pod may take until it waits on a node (Velero's limit for its scheduling), and a canceled movement until it has
 * ended.
 */
const limits = { startMs: 600_000, endMs: 600_000 } as const;

/** The longest interval between two looks. */
export const lookMs = 60_000;

export interface OpenSeen {
  /** A PodVolumeRestore that has not ended. */
  restore: PodVolumeRestore;
  pod: Pod | undefined;
  nowMs: number;
  /** For the whole PodVolumeRestore, from its creation. */
  timeoutMs: number;
  facts: WaitFacts;
}

/**
 * Cancels a PodVolumeRestore that has timed out, or whose pod can never be restored into.
 * @returns when to look again; or that it has ended, in the version that was written last
 */
export async function giveUpOrWait(
  context: RestoreOperationContext,
  seen: OpenSeen,
  signal: AbortSignal,
): Promise<number | { over: PodVolumeRestore }> {
  const { restore, nowMs, timeoutMs } = seen;
  const lateMs = (Date.parse(restore.metadata.creationTimestamp ?? '') || nowMs) + timeoutMs;
  const isNew = (restore.status?.phase || 'New') === 'New';
  if (nowMs >= lateMs) {
    const why = `timed out waiting for all PodVolumeRestores to complete (${durationText(timeoutMs)})`;
    const canceled = await cancel(context, restore, why, signal);
    return isNew || nowMs >= lateMs + limits.endMs ? { over: canceled } : lateMs + limits.endMs;
  }
  // A movement that a node-agent has accepted is left to that node-agent.
  if (!isNew) return lateMs;
  if (restore.spec.cancel === true) return { over: restore };
  const why = await whyNever(seen, signal);
  if (typeof why === 'number') return Math.min(why, lateMs);
  return { over: await cancel(context, restore, why, signal) };
}

/** @returns why no node-agent will ever accept it, or when to check again */
async function whyNever({ restore, pod, nowMs, facts }: OpenSeen, signal: AbortSignal): Promise<string | number> {
  const { startMs } = limits;
  const state = waitingPod({ restore, pod, nowMs, startMs });
  switch (state.is) {
    case 'over':
      return state.why;
    case 'waiting':
      return nowMs + lookMs;
    case 'on node':
      if (nowMs < state.dueMs) return state.dueMs;
      if (await facts.hasNodeAgent(state.node, signal)) return nowMs + lookMs;
      return `no node-agent runs on node ${state.node}, where pod ${restore.spec.pod.namespace}/${restore.spec.pod.name} waits`;
    case 'starting': {
      if (nowMs < state.dueMs) return state.dueMs;
      const untilMs = pod === undefined ? undefined : await facts.dataComesUntil(pod, signal);
      if (untilMs === undefined || nowMs >= untilMs + startMs) return state.why;
      return Math.min(untilMs + startMs, nowMs + lookMs);
    }
    default:
      return state satisfies never;
  }
}

async function cancel(
  { kube }: RestoreOperationContext,
  restore: PodVolumeRestore,
  why: string,
  signal: AbortSignal,
): Promise<PodVolumeRestore> {
  if (restore.metadata.annotations?.[annotations.canceledBecause] !== undefined) return restore;
  const body = { metadata: { annotations: { [annotations.canceledBecause]: why } }, spec: { cancel: true } };
  try {
    return await kube.patch(podVolumeRestoreType, keyOf(restore), { type: 'merge', body }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return restore;
  }
}
