import type { Seen } from '../gather/seen.ts';
import { decideBoundNew } from './decide-bound.ts';
import { canceled } from './endings.ts';
import { nothing, type Step } from './step.ts';

/** Decides about a movement that no node has accepted: this node accepts it, if it may. */
export function decideNew(seen: Seen): Step {
  if (seen.object.spec.cancel === true) return canceled(seen);
  if (seen.mayBegin) return { do: 'accept' };
  if (seen.owner !== '') return decideBoundNew(seen);
  return waitsForClient(seen);
}

/**
 * The movement starts on the node of its pod, and only that node sees the pod in its watch. The node of the pod, or the first of
 * all nodes when the pod's node is unknown, checks from time to time why the movement does not start.
 */
function waitsForClient(seen: Seen): Step {
  const { client, standsIn } = seen;
  if (client === 'absent' && !standsIn) return nothing('it begins on the node of its pod');
  const againMs = lookDueMs(seen);
  return againMs > 0 ? { do: 'wait', on: 'its pod', againMs } : { do: 'look-for-client' };
}

function lookDueMs({ object, nowMs, explainedForMs, limits }: Seen): number {
  const createdMs = Date.parse(object.metadata.creationTimestamp ?? '');
  const waitedMs = Number.isNaN(createdMs) ? limits.explainAfterMs : nowMs - createdMs;
  const sinceLast = explainedForMs === undefined ? 0 : limits.explainEveryMs - explainedForMs;
  return Math.max(limits.explainAfterMs - waitedMs, sinceLast);
}
