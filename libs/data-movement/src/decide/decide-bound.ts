import type { Seen } from '../gather/seen.ts';
import { failed } from './endings.ts';
import { nothing, type Step } from './step.ts';

type Bound = 'New' | 'Accepted' | 'Prepared' | 'InProgress' | 'Canceling';

/**
 * Decides about a movement whose volume is on another node that has lost its node-agent. No other node can continue it: it waits
 * for that node-agent, and fails when it has waited too long, unless its mover is running; a mover needs no node-agent to finish.
 */
export function decideBound(seen: Seen, phase: Bound): Step {
  switch (phase) {
    case 'New':
    case 'Accepted':
    case 'Prepared':
      return unbegun(seen);
    case 'InProgress':
    case 'Canceling':
      return atWork(seen);
    default:
      return phase satisfies never;
  }
}

/** Decides about a new movement that only another node can accept. */
export function decideBoundNew(seen: Seen): Step {
  const { owner, ownerLostForMs, limits } = seen;
  if (ownerLostForMs === 0) return nothing(`node ${owner} accepts it`);
  const leftMs = limits.agentLostMs - ownerLostForMs;
  return leftMs > 0 ? { do: 'wait', on: `the node-agent of node ${owner}`, againMs: leftMs } : decideBound(seen, 'New');
}

/**
 * For a backup, the application may be frozen, so the wait is short. For a restore, the application waits for its data and can do
 * nothing else.
 */
function unbegun(seen: Seen): Step {
  const { owner, rank, pod, ownerLostForMs, limits } = seen;
  if (pod?.unready === true) return failed(`${lostText(seen)}, and the hosting pod does not report. See the node.`);
  const leftMs = (rank === 'backup' ? limits.agentLostMs : limits.prepareTimeoutMs) - ownerLostForMs;
  if (leftMs <= 0)
    return failed(
      `${lostText(seen)}. Check its pod of DaemonSet node-agent, and start again when that pod runs again.`,
    );
  const note = `${lostText(seen)}. Check its pod of DaemonSet node-agent; the movement continues when that pod runs again.`;
  return { do: 'wait', on: `the node-agent of node ${owner}`, againMs: leftMs, note };
}

function atWork(seen: Seen): Step {
  const { owner, pod, standsIn, limits } = seen;
  // The first of the remaining nodes records the end; otherwise several would copy the log.
  if (pod === undefined || pod.ended)
    return standsIn
      ? { do: 'attach' }
      : { do: 'wait', on: 'the end of the data path to be recorded', againMs: limits.anotherNodeGraceMs };
  if (pod.unready) return failed(`${lostText(seen)}, and the hosting pod does not report. See the node.`);
  return { do: 'wait', on: `the hosting pod on node ${owner}, which has no node-agent` };
}

const lostText = ({ owner }: Seen): string => `node ${owner}, where the volume is, has no running node-agent any more`;
