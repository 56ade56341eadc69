import { attemptOf, isTerminalPhase } from '@lateen/api-types';
import { durationText } from '@lateen/kernel';
import { isMine, type Seen } from '../gather/seen.ts';
import { nextAttemptMs, preparingSinceMs } from '../status/attempt.ts';
import { phaseOf } from '../status/phase-moves.ts';
import { decideAnothers } from './decide-anothers.ts';
import { decideNew } from './decide-new.ts';
import { canceled, lost, podFailed, timedOut } from './endings.ts';
import { nothing, type Step } from './step.ts';

/** Decides by phase and by owner. Pure; every phase has its function, and every function returns one step. */
export function decideMovement(seen: Seen): Step {
  const { object } = seen;
  if (seen.isForAnother) return nothing('it is for another data mover');
  const phase = phaseOf(object);
  if (isTerminalPhase(phase)) return decideTerminal(seen);
  if (object.metadata.deletionTimestamp !== undefined && object.spec.cancel !== true) {
    const message = `Cancel ${object.kind.toLowerCase()} because it is being deleted`;
    return { do: 'request-cancel', message };
  }
  const mine = isMine(seen);
  const runs = phase === 'InProgress' || phase === 'Canceling';
  if (seen.active && !(mine && runs)) return { do: 'let-go' };
  switch (phase) {
    case 'New':
      return decideNew(seen);
    case 'Accepted':
      if (isHere(seen) && object.spec.cancel !== true && !seen.isTooLate) return { do: 'mark-prepared' };
      return mine ? decideAccepted(seen) : decideAnothers(seen, phase);
    case 'Prepared':
      return mine ? decidePrepared(seen) : decideAnothers(seen, phase);
    case 'InProgress':
    case 'Canceling':
      return mine ? decideRunning(seen, phase) : decideAnothers(seen, phase);
    default:
      return phase satisfies never;
  }
}

/** Whichever node accepted the movement, the node where the hosting pod runs continues it (data-movement.md section 3). */
const isHere = ({ pod, node }: Seen): boolean => pod?.running === true && pod.node === node;

/** The node that ran the movement cleans up; when that node is gone, any other node does. */
function decideTerminal({ object, owner, held, node, active, nowMs, endSeenMs = nowMs, limits }: Seen): Step {
  // A process that has recorded the end stops watching by itself; any other would watch for ever.
  if (active) return { do: 'let-go' };
  if (!held) return nothing('it has ended');
  const responsible = owner || node;
  if (responsible === node) return { do: 'conclude' };
  // Velero writes no completionTimestamp after its prepare timeout, and a timestamp may come from a clock that is ahead.
  const writtenMs = Date.parse(object.status?.completionTimestamp ?? '');
  const endedMs = writtenMs < endSeenMs ? writtenMs : endSeenMs;
  const leftMs = endedMs + limits.anotherNodeGraceMs - nowMs;
  return leftMs <= 0 ? { do: 'conclude' } : { do: 'wait', on: `node ${responsible} to conclude it`, againMs: leftMs };
}

function decideAccepted(seen: Seen): Step {
  const { object, pod, limits, nowMs } = seen;
  if (object.spec.cancel === true) return canceled(seen);
  if (seen.isTooLate || isWithoutClient(seen)) return { do: 'end-without-client' };
  if (pod?.failure !== undefined) return podFailed(seen, pod.failure, pod.lost === true);
  const pauseMs = (nextAttemptMs(object) ?? nowMs) - nowMs;
  if (pauseMs > 0) return { do: 'wait', on: 'the time of the next attempt', againMs: pauseMs };
  const leftMs = preparingSinceMs(object) + limits.prepareTimeoutMs - nowMs;
  if (leftMs <= 0) return timedOut(seen);
  if (seen.exposure === 'none') return { do: 'expose', ...(Number.isNaN(leftMs) ? {} : { withinMs: leftMs }) };
  const podMs = podDueMs(seen);
  if (podMs <= 0) return lost(seen, 'its hosting pod was deleted before it ran');
  const explainMs = explainDueMs(seen);
  if (explainMs <= 0) return { do: 'explain' };
  // Without a readable acceptedTimestamp there is no deadline, so no timer is set.
  const againMs = Math.min(...[leftMs, podMs, explainMs].filter((ms) => !Number.isNaN(ms)));
  return { do: 'wait', on: 'the hosting pod', ...(Number.isFinite(againMs) ? { againMs } : {}) };
}

/** Without the client pod, a mover no longer reads or writes the pod's volume. A mover that has ended reports how far it came. */
const isWithoutClient = ({ client, pod }: Seen): boolean =>
  (client === 'absent' || client === 'ended') && pod?.needsClient === true && !pod.ended;

/** The containers of the pod use the volume while a mover fills it. */
const isWrittenOver = ({ isTooLate, pod }: Seen): boolean => isTooLate && pod?.ended !== true;

/**
 * Ms until a created pod must be visible; after that it counts as deleted. Infinite while no pod is expected, or when it is
 * visible.
 */
function podDueMs({ pod, exposure, exposedForMs, limits }: Seen): number {
  const expected = pod === undefined && exposure === 'done';
  return expected ? limits.podSeenWithinMs - (exposedForMs ?? 0) : Number.POSITIVE_INFINITY;
}

/** Ms until the next explanation is due; NaN without a readable acceptedTimestamp. */
function explainDueMs({ object, nowMs, explainedForMs, limits }: Seen): number {
  const waitedMs = nowMs - preparingSinceMs(object);
  const sinceLast = explainedForMs === undefined ? 0 : limits.explainEveryMs - explainedForMs;
  return Math.max(limits.explainAfterMs - waitedMs, sinceLast);
}

function decidePrepared(seen: Seen): Step {
  const { object, pod } = seen;
  if (object.spec.cancel === true) return canceled(seen);
  if (seen.isTooLate || isWithoutClient(seen)) return { do: 'end-without-client' };
  if (pod === undefined) return lost(seen, 'its hosting pod was deleted before it started');
  if (pod.failure !== undefined) return podFailed(seen, pod.failure, pod.lost === true);
  return { do: 'start' };
}

function decideRunning(seen: Seen, phase: 'InProgress' | 'Canceling'): Step {
  const { object, active, ending, limits, cancelSeenMs, nowMs, words } = seen;
  const canceling = object.spec.cancel === true;
  if (!ending && !canceling && (isWrittenOver(seen) || isWithoutClient(seen))) return { do: 'end-without-client' };
  if (!active) return { do: 'attach' };
  if (!canceling) return { do: 'wait', on: `the data path of attempt ${attemptOf(object)}` };
  if (phase === 'InProgress') return { do: 'mark-canceling' };
  // The run ends without help: the step after a successful data path is completed or undone first.
  if (ending) return { do: 'wait', on: 'the end of the data path to be recorded' };
  const leftMs = (cancelSeenMs ?? nowMs) + limits.forceCancelMs - nowMs;
  if (leftMs > 0) return { do: 'wait', on: 'the data path to stop', againMs: leftMs };
  return {
    do: 'end',
    phase: 'Canceled',
    message: `the ${words} did not stop within ${durationText(limits.forceCancelMs)} after it was canceled, and its pod was deleted`,
  };
}
