import type { Seen } from '../gather/seen.ts';
import { failed } from './endings.ts';
import { nothing, type Step } from './step.ts';

/**
 * What this node does about a movement whose volume is on another node that has lost its node-agent. Nobody can go on with it: it fails,
 * unless its mover is at work, which needs no node-agent to come to its end.
 */
export function decideBound(seen: Seen, phase: 'New' | 'Accepted' | 'Prepared' | 'InProgress' | 'Canceling'): Step {
  const { owner, pod, standsIn, limits } = seen;
  switch (phase) {
    case 'New':
    case 'Accepted':
    case 'Prepared':
      return failed(`${lostText(seen)}. See its pod of DaemonSet node-agent, and start again when that is back.`);
    case 'InProgress':
    case 'Canceling':
      // The first of those that are left records the end: several would all repeat the log.
      if (pod === undefined || pod.ended)
        return standsIn
          ? { do: 'attach' }
          : { do: 'wait', on: 'the end of the data path to be recorded', againMs: limits.anotherNodeGraceMs };
      if (pod.unready) return failed(`${lostText(seen)}, and the hosting pod is not heard of. See the node.`);
      return { do: 'wait', on: `the hosting pod on node ${owner}, which has no node-agent` };
    default:
      return phase satisfies never;
  }
}

const lostText = ({ owner }: Seen): string => `node ${owner}, where the volume is, has no node-agent at work any more`;

/** A new one that is another node's to accept. */
export function decideBoundNew(seen: Seen): Step {
  const { owner, ownerLostForMs, limits } = seen;
  if (ownerLostForMs === 0) return nothing(`node ${owner} accepts it`);
  if (ownerLostForMs >= limits.agentLostMs) return decideBound(seen, 'New');
  return { do: 'wait', on: `the node-agent of node ${owner}`, againMs: limits.agentLostMs - ownerLostForMs };
}
