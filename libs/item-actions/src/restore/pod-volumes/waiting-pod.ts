import type { Pod, PodVolumeRestore } from '@lateen/api-types';
import { isRestoreWait } from '@lateen/hooks';
import { durationText } from '@lateen/kernel';
import { keyOf, keyText } from '@lateen/kube';

/** What is known of a pod whose PodVolumeRestore no node-agent has accepted yet. */
export interface WaitingSeen {
  restore: PodVolumeRestore;
  pod: Pod | undefined;
  nowMs: number;
  /** How long a pod may take until its init container runs, and how long to wait for a missing node-agent. */
  startMs: number;
}

export type WaitingPod =
  /** No problem is known. Checked again at the next change. */
  | { is: 'waiting' }
  /** It has not started to wait. `dueMs`: when that has taken too long; `why`: the cause at that time. */
  | { is: 'starting'; dueMs: number; why: string }
  /** It waits on its node; at `dueMs`, check whether the node has a node-agent. */
  | { is: 'on node'; node: string; dueMs: number }
  /** It can never be restored into. */
  | { is: 'over'; why: string };

/** Pure. */
export function waitingPod({ restore, pod, nowMs, startMs }: WaitingSeen): WaitingPod {
  const { namespace = '', name = '', uid } = restore.spec.pod;
  const what = `pod ${namespace}/${name}`;
  if (pod === undefined || pod.metadata.uid !== uid) return { is: 'over', why: `${what} is not there any more` };
  const { phase, reason, message, initContainerStatuses } = pod.status ?? {};
  if (phase === 'Failed' || phase === 'Succeeded')
    return { is: 'over', why: `${what} has ended${textOf(reason, message)}` };
  // It is being deleted, and its controller creates its successor without us.
  if (pod.metadata.deletionTimestamp !== undefined) return { is: 'waiting' };
  const status = (initContainerStatuses ?? []).find(isRestoreWait);
  if (status?.state?.terminated?.exitCode === 0)
    return { is: 'over', why: `${what} has started without waiting for its volumes any longer` };
  const node = pod.spec.nodeName ?? '';
  const running = status?.state?.running;
  if (running !== undefined) return { is: 'on node', node, dueMs: (timeOf(running.startedAt) ?? nowMs) + startMs };
  const sinceMs = timeOf(restore.metadata.creationTimestamp) ?? nowMs;
  return { is: 'starting', dueMs: sinceMs + startMs, why: whyNotStarted(pod, startMs) };
}

function whyNotStarted(pod: Pod, startMs: number): string {
  const what = `pod ${keyText(keyOf(pod))}`;
  const within = `within ${durationText(startMs)}`;
  const { conditions = [], initContainerStatuses } = pod.status ?? {};
  if ((pod.spec.nodeName ?? '') === '') {
    const scheduled = conditions?.find(({ type }) => type === 'PodScheduled');
    return `${what} was not scheduled ${within}${textOf(undefined, scheduled?.message)}`;
  }
  const { waiting, terminated } = (initContainerStatuses ?? []).find(isRestoreWait)?.state ?? {};
  const said = waiting?.reason === 'PodInitializing' ? undefined : (waiting ?? terminated);
  return `the init container of ${what} that waits for its volumes did not start ${within} on node ${pod.spec.nodeName}${textOf(said?.reason, said?.message)}`;
}

function textOf(reason: string | undefined, message: string | undefined): string {
  const said = [reason, message].filter((each) => each !== undefined && each !== '');
  return said.length === 0 ? '' : `: ${said.join(': ')}`;
}

const timeOf = (text: string | null | undefined): number | undefined => {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
};
