import { durationText } from '@lateen/kernel';
import type { Seen } from '../gather/seen.ts';
import { preparingSinceMs } from '../status/attempt.ts';
import { mayTryAgain } from '../status/next-attempt.ts';
import { decideBound } from './decide-bound.ts';
import { canceled, lost, podFailed, timedOut } from './endings.ts';
import { nothing, type Step } from './step.ts';

/**
 * What this node does about a movement that another node has in hand: nothing, as long as that one has a node-agent. When
 * its agent is lost, whoever comes first takes over: several may try, and the resourceVersion lets one win.
 */
export function decideAnothers(seen: Seen, phase: 'Accepted' | 'Prepared' | 'InProgress' | 'Canceling'): Step {
  const { object, owner, ownerLostForMs, limits } = seen;
  if (object.spec.cancel === true && !mayEndByItself(seen, phase)) return cancelForAnother(seen);
  if (ownerLostForMs > 0 && ownerLostForMs < limits.agentLostMs)
    return { do: 'wait', on: `the node-agent of node ${owner}`, againMs: limits.agentLostMs - ownerLostForMs };
  if (ownerLostForMs > 0) return seen.isBound ? decideBound(seen, phase) : takeOver(seen, phase);
  return phase === 'Accepted' ? waitForAnother(seen) : nothing(`node ${owner} runs it`);
}

/** A mover sees spec.cancel itself and ends; when its pod has, the end only has to be recorded. */
const mayEndByItself = ({ pod, ownerLostForMs, limits }: Seen, phase: string): boolean =>
  (phase === 'InProgress' || phase === 'Canceling') && pod?.ended === true && ownerLostForMs >= limits.agentLostMs;

function takeOver(seen: Seen, phase: 'Accepted' | 'Prepared' | 'InProgress' | 'Canceling'): Step {
  const { owner, pod, rank } = seen;
  const without = `node ${owner} has no node-agent at work any more`;
  switch (phase) {
    case 'Accepted':
      return { do: 'take-over' };
    case 'Prepared':
      return prepared(seen, without);
    case 'InProgress':
    case 'Canceling':
      // What follows a good data path takes the pod away; who attaches finds out which end it was.
      if (pod === undefined || pod.ended) return { do: 'adopt' };
      // Two readers of one copy do no harm. Two writers would: what a restore fills is only touched by another pod when
      // Kubernetes has taken the first one away (ADR 0012).
      if (pod.unready && rank === 'backup') return lost(seen, `${without}, and the hosting pod is not heard of`);
      return { do: 'wait', on: `the hosting pod on node ${owner}, which has no node-agent` };
    default:
      return phase satisfies never;
  }
}

/**
 * A pod that is well has all it needs but a slot, and only the node-agent of its node gives slots there; an absence of that one says
 * nothing about the pod, so it costs no attempt. A host that is lost itself does, and so does, while attempts are left, an agent
 * that is away for as long as a preparation may take: a new one elsewhere is the better hope then.
 */
function prepared(seen: Seen, without: string): Step {
  const { object, owner, pod, ownerLostForMs, limits } = seen;
  if (pod === undefined) return lost(seen, `${without}, and the hosting pod is gone`);
  if (pod.failure !== undefined) return podFailed(seen, pod.failure, pod.lost === true);
  if (pod.unready) return lost(seen, `${without}, and the hosting pod is not heard of`);
  const leftMs = limits.prepareTimeoutMs - ownerLostForMs;
  const mayBeginElsewhere = mayTryAgain(object, limits);
  if (leftMs <= 0 && mayBeginElsewhere)
    return lost(seen, `${without}, for ${durationText(limits.prepareTimeoutMs)} by now`);
  return {
    do: 'wait',
    on: `the node-agent of node ${owner}`,
    note: `node ${owner}, where its hosting pod is ready, has no node-agent at work. See its pod of DaemonSet node-agent; the movement continues when that is back.`,
    ...(mayBeginElsewhere ? { againMs: leftMs } : {}),
  };
}

/** Its node ends it when it takes too long; a while later any other does. */
function waitForAnother(seen: Seen): Step {
  const { object, owner, limits, nowMs } = seen;
  const leftMs = preparingSinceMs(object) + limits.prepareTimeoutMs + limits.anotherNodeGraceMs - nowMs;
  if (leftMs <= 0) return timedOut(seen);
  const on = `node ${owner} to prepare it`;
  return { do: 'wait', on, ...(Number.isNaN(leftMs) ? {} : { againMs: leftMs }) };
}

/** Who has it in hand may cancel it until some time after the cancel was first seen. */
function cancelForAnother(seen: Seen): Step {
  const { cancelSeenMs, nowMs, limits, owner } = seen;
  const leftMs = (cancelSeenMs ?? nowMs) + limits.cancelForAnotherMs - nowMs;
  if (leftMs <= 0) return canceled(seen);
  return { do: 'wait', on: `node ${owner} to cancel it`, againMs: leftMs };
}
