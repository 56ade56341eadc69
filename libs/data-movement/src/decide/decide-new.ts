import type { Seen } from '../gather/seen.ts';
import { decideBoundNew } from './decide-bound.ts';
import { canceled } from './endings.ts';
import { nothing, type Step } from './step.ts';

/** What this node does about a movement that nobody has begun: it accepts it, if it may. */
export function decideNew(seen: Seen): Step {
  if (seen.object.spec.cancel === true) return canceled(seen);
  if (seen.mayBegin) return { do: 'accept' };
  if (seen.owner !== '') return decideBoundNew(seen);
  return waitsForClient(seen);
}

/**
 * It begins where its pod is, which shows itself to that node only. The node where the pod is, or if none is known to be that, the first
 * of all, looks now and then why it does not begin.
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
