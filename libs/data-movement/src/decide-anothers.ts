import { preparingSinceMs } from './attempt.ts';
import { canceled, lost, timedOut } from './endings.ts';
import { ownerNode, type Seen } from './seen.ts';
import { nothing, type Step } from './step.ts';

/**
 * What this node does about a movement that another node has in hand: nothing, as long as that one has a node-agent. When
 * its agent is lost, whoever comes first takes over: several may try, and the resourceVersion lets one win.
 */
export function decideAnothers(seen: Seen, phase: 'Accepted' | 'Prepared' | 'InProgress' | 'Canceling'): Step {
  const { object, ownerLostForMs, limits } = seen;
  const owner = ownerNode(object);
  if (object.spec.cancel === true && !mayEndByItself(seen, phase)) return cancelForAnother(seen);
  if (ownerLostForMs > 0 && ownerLostForMs < limits.agentLostMs)
    return { do: 'wait', on: `the node-agent of node ${owner}`, againMs: limits.agentLostMs - ownerLostForMs };
  if (ownerLostForMs > 0) return takeOver(seen, phase);
  return phase === 'Accepted' ? waitForAnother(seen) : nothing(`node ${owner} runs it`);
}

/** A mover sees spec.cancel itself and ends; when its pod has, the end only has to be recorded. */
const mayEndByItself = ({ pod, ownerLostForMs, limits }: Seen, phase: string): boolean =>
  (phase === 'InProgress' || phase === 'Canceling') && pod?.ended === true && ownerLostForMs >= limits.agentLostMs;

function takeOver(seen: Seen, phase: 'Accepted' | 'Prepared' | 'InProgress' | 'Canceling'): Step {
  const { object, pod, rank } = seen;
  const without = `node ${ownerNode(object)} has no node-agent at work any more`;
  switch (phase) {
    case 'Accepted':
      return { do: 'take-over' };
    case 'Prepared':
      return lost(seen, without);
    case 'InProgress':
    case 'Canceling':
      // What follows a good data path takes the pod away; who attaches finds out which end it was.
      if (pod === undefined || pod.ended) return { do: 'adopt' };
      // Two readers of one copy do no harm. Two writers would: what a restore fills is only touched by another pod when
      // Kubernetes has taken the first one away (ADR 0012).
      if (pod.unready && rank === 'backup') return lost(seen, `${without}, and the hosting pod is not heard of`);
      return { do: 'wait', on: `the hosting pod on node ${ownerNode(object)}, which has no node-agent` };
    default:
      return phase satisfies never;
  }
}

/** Its node ends it when it takes too long; a while later any other does. */
function waitForAnother(seen: Seen): Step {
  const { object, limits, nowMs } = seen;
  const leftMs = preparingSinceMs(object) + limits.prepareTimeoutMs + limits.anotherNodeGraceMs - nowMs;
  if (leftMs <= 0) return timedOut(seen);
  const on = `node ${ownerNode(object)} to prepare it`;
  return { do: 'wait', on, ...(Number.isNaN(leftMs) ? {} : { againMs: leftMs }) };
}

/** Who has it in hand may cancel it until some time after the cancel was first seen. */
function cancelForAnother(seen: Seen): Step {
  const { cancelSeenMs, nowMs, limits, object } = seen;
  const leftMs = (cancelSeenMs ?? nowMs) + limits.cancelForAnotherMs - nowMs;
  if (leftMs <= 0) return canceled(seen);
  return { do: 'wait', on: `node ${ownerNode(object)} to cancel it`, againMs: leftMs };
}
