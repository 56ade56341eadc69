import { isBuiltInDataMover, isTerminalPhase } from '@lateen/api-types';
import { hostingPodFailure } from '@lateen/exposer';
import { again, settled, waiting } from '@lateen/kube';
import { AppError } from '@lateen/errors';
import { hasFinalizer, isBeingDeleted, timeOf } from '../movement.ts';
import { phaseOf } from '../phase-moves.ts';
import type { Seen } from './seen.ts';
import type { Step } from './step.ts';

const rest = (outcome: Extract<Step, { do: 'rest' }>['outcome']): Step => ({ do: 'rest', outcome });
const nothing = rest(settled);

/**
 * What this node has to do about one object now (data-movement.md section 3). Pure: the same sight, the same step. A
 * node acts on objects that it accepted or that run on it; on others only when their node has had its time.
 */
export function decide(seen: Seen): Step {
  const { object } = seen;
  if (!isBuiltInDataMover(object.spec.datamover)) return nothing;
  const phase = phaseOf(object);
  if (isTerminalPhase(phase)) return decideEnded(seen);
  if (isBeingDeleted(object) && object.spec.cancel !== true) return { do: 'requestCancel' };
  switch (phase) {
    case 'New':
      return decideNew(seen);
    case 'Accepted':
      return decideAccepted(seen);
    case 'Prepared':
      return decidePrepared(seen);
    case 'InProgress':
    case 'Canceling':
      return decideRunning(seen);
    default:
      return phase satisfies never;
  }
}

function decideNew({ object }: Seen): Step {
  if (object.spec.cancel === true) return canceled();
  return hasFinalizer(object) ? { do: 'accept' } : { do: 'addFinalizer' };
}

function decideAccepted(seen: Seen): Step {
  const { object, node, nowMs, pod, limits, work } = seen;
  const mine = object.status?.acceptedByNode === node;
  if (object.spec.cancel === true) return mine ? canceled() : cancelAfter(seen, limits.cancelPreparingByOthersMs);
  if (mine && work.exposure.state === 'failed') {
    return { do: 'end', phase: 'Failed', reason: { kind: 'exposeFailed', error: work.exposure.error } };
  }
  const failure = pod === undefined ? undefined : hostingPodFailure(pod);
  if (mine && failure !== undefined) return podFailed(failure);
  if (pod?.status?.phase === 'Running' && pod.spec.nodeName === node) return { do: 'prepare' };
  const acceptedMs = timeOf(object.status?.acceptedTimestamp) ?? nowMs;
  const leftMs = acceptedMs + limits.prepareTimeoutMs + (mine ? 0 : limits.otherNodeGraceMs) - nowMs;
  if (leftMs <= 0) return { do: 'end', phase: 'Failed', reason: { kind: 'prepareTimeout' } };
  if (mine && work.exposure.state === 'none') return { do: 'expose' };
  return rest(again(leftMs, 'the hosting pod is not running yet'));
}

function decidePrepared(seen: Seen): Step {
  const { object, node, pod, limits } = seen;
  const here = object.status?.node === node;
  if (object.spec.cancel === true) return here ? canceled() : cancelAfter(seen, limits.cancelPreparingByOthersMs);
  if (!here) return nothing;
  if (pod === undefined) {
    return podFailed(new AppError('HOSTING_POD_GONE', `hosting pod ${object.metadata.namespace}/${object.metadata.name} was deleted`));
  }
  const failure = hostingPodFailure(pod);
  return failure === undefined ? { do: 'startPath' } : podFailed(failure);
}

function decideRunning(seen: Seen): Step {
  const { object, node, nowMs, work, limits } = seen;
  const cancel = object.spec.cancel === true;
  if (object.status?.node !== node) return cancel ? cancelAfter(seen, limits.cancelInProgressMs) : nothing;
  switch (work.path.state) {
    case 'none':
      return { do: 'resumePath' };
    case 'ended':
      return { do: 'concludePath', ending: work.path.ending };
    case 'running': {
      if (cancel && phaseOf(object) === 'InProgress') return { do: 'markCanceling' };
      if (cancel) return cancelAfter(seen, limits.cancelInProgressMs);
      const { progress, progressDueMs } = work.path;
      if (progress === undefined) return rest(waiting('the data mover'));
      if (nowMs >= progressDueMs) return { do: 'writeProgress', progress };
      return rest(again(progressDueMs - nowMs, 'progress is written at intervals'));
    }
    default:
      return work.path satisfies never;
  }
}

/** The finalizer stays until everything is cleaned up; the node that ran it cleans up first. */
function decideEnded({ object, node, nowMs, limits }: Seen): Step {
  if (!hasFinalizer(object)) return nothing;
  const responsible = object.status?.node ?? object.status?.acceptedByNode ?? node;
  if (responsible === node) return { do: 'cleanUp' };
  const endedMs = timeOf(object.status?.completionTimestamp) ?? nowMs;
  const leftMs = endedMs + limits.otherNodeGraceMs - nowMs;
  return leftMs <= 0 ? { do: 'cleanUp' } : rest(again(leftMs, 'another node cleans up'));
}

function cancelAfter({ work, nowMs }: Seen, delayMs: number): Step {
  const leftMs = (work.cancelSeenMs ?? nowMs) + delayMs - nowMs;
  if (leftMs > 0) return rest(again(leftMs, 'whoever runs it is given time to cancel'));
  return canceled(`the cancel request was not honoured within ${delayMs / 60_000} minutes`);
}

const canceled = (message?: string): Step => ({
  do: 'end',
  phase: 'Canceled',
  reason: message === undefined ? { kind: 'canceled' } : { kind: 'canceled', message },
});

const podFailed = (error: unknown): Step => ({ do: 'end', phase: 'Failed', reason: { kind: 'podFailed', error } });
