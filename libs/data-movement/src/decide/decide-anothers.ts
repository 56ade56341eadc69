import { durationText } from '@lateen/kernel';
import type { Seen } from '../gather/seen.ts';
import { preparingSinceMs } from '../status/attempt.ts';
import { mayTryAgain } from '../status/next-attempt.ts';
import { decideBound } from './decide-bound.ts';
import { canceled, lost, podFailed, timedOut } from './endings.ts';
import { nothing, type Step } from './step.ts';

/**
 * Decides about a movement that another node runs: nothing, as long as that node has a node-agent. When its agent is lost, the
 * first node-agent to write takes over: several may try, and the resourceVersion lets one win.
 */
export function decideAnothers(seen: Seen, phase: 'Accepted' | 'Prepared' | 'InProgress' | 'Canceling'): Step {
  const { object, owner, ownerLostForMs, limits } = seen;
  if (object.spec.cancel === true && !mayEndByItself(seen, phase)) return cancelForAnother(seen);
  if (ownerLostForMs > 0 && ownerLostForMs < limits.agentLostMs)
    return { do: 'wait', on: `the node-agent of node ${owner}`, againMs: limits.agentLostMs - ownerLostForMs };
  if (ownerLostForMs > 0) return seen.isBound ? decideBound(seen, phase) : takeOver(seen, phase);
  return phase === 'Accepted' ? waitForAnother(seen) : nothing(`node ${owner} runs it`);
}

/** A mover sees spec.cancel itself and ends; after its pod has ended, only the end has to be recorded. */
const mayEndByItself = ({ pod, ownerLostForMs, limits }: Seen, phase: string): boolean =>
  (phase === 'InProgress' || phase === 'Canceling') && pod?.ended === true && ownerLostForMs >= limits.agentLostMs;

function takeOver(seen: Seen, phase: 'Accepted' | 'Prepared' | 'InProgress' | 'Canceling'): Step {
  const { owner, pod, rank } = seen;
  const without = `node ${owner} has no running node-agent any more`;
  switch (phase) {
    case 'Accepted':
      return { do: 'take-over' };
    case 'Prepared':
      return prepared(seen, without);
    case 'InProgress':
    case 'Canceling':
      // The step after a successful data path deletes the pod; the node that attaches finds out how the data path ended.
      if (pod === undefined || pod.ended) return { do: 'adopt' };
      // Two pods may read the same copy without harm. Two pods must never write: a second pod may write to a restored volume only
      // after Kubernetes has removed the first one (ADR 0012).
      if (pod.unready && rank === 'backup') return lost(seen, `${without}, and the hosting pod does not report`);
      return { do: 'wait', on: `the hosting pod on node ${owner}, which has no node-agent` };
    default:
      return phase satisfies never;
  }
}

/**
 * A healthy pod lacks only a slot, and only the node-agent of its node assigns slots there. The absence of that agent says
 * nothing about the pod, so it costs no attempt. Two cases do cost an attempt: the host itself is lost; or attempts are left and
 * the agent has been away for as long as a preparation may take, so that an attempt on another node is more likely to succeed.
 */
function prepared(seen: Seen, without: string): Step {
  const { object, owner, pod, ownerLostForMs, limits } = seen;
  if (pod === undefined) return lost(seen, `${without}, and the hosting pod is gone`);
  if (pod.failure !== undefined) return podFailed(seen, pod.failure, pod.lost === true);
  if (pod.unready) return lost(seen, `${without}, and the hosting pod does not report`);
  const leftMs = limits.prepareTimeoutMs - ownerLostForMs;
  const mayBeginElsewhere = mayTryAgain(object, limits);
  if (leftMs <= 0 && mayBeginElsewhere)
    return lost(seen, `${without}, for ${durationText(limits.prepareTimeoutMs)} by now`);
  return {
    do: 'wait',
    on: `the node-agent of node ${owner}`,
    note: `node ${owner}, where its hosting pod is ready, has no running node-agent. Check its pod of DaemonSet node-agent; the movement continues when that pod runs again.`,
    ...(mayBeginElsewhere ? { againMs: leftMs } : {}),
  };
}

/** The node that runs it ends it when it takes too long; after a further grace period any other node does. */
function waitForAnother(seen: Seen): Step {
  const { object, owner, limits, nowMs } = seen;
  const leftMs = preparingSinceMs(object) + limits.prepareTimeoutMs + limits.anotherNodeGraceMs - nowMs;
  if (leftMs <= 0) return timedOut(seen);
  const on = `node ${owner} to prepare it`;
  return { do: 'wait', on, ...(Number.isNaN(leftMs) ? {} : { againMs: leftMs }) };
}

/** The node that runs it gets some time after the cancel was first seen; then this node cancels it. */
function cancelForAnother(seen: Seen): Step {
  const { cancelSeenMs, nowMs, limits, owner } = seen;
  const leftMs = (cancelSeenMs ?? nowMs) + limits.cancelForAnotherMs - nowMs;
  if (leftMs <= 0) return canceled(seen);
  return { do: 'wait', on: `node ${owner} to cancel it`, againMs: leftMs };
}
