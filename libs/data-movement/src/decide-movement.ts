import { finalizers, isBuiltInDataMover, isTerminalPhase } from '@lateen/api-types';
import type { Movement } from './movement-kind.ts';
import type { MovementLimits } from './movement-limits.ts';
import { phaseOf } from './phase-moves.ts';

/** What is known of one movement when it is decided about. */
export interface Seen {
  object: Movement;
  /** As the reference spells the kind in messages: `data upload`. */
  words: string;
  /** This node. */
  node: string;
  nowMs: number;
  /** The hosting pod, if there is one. */
  pod?: { running: boolean; ended: boolean; node: string; failure?: string } | undefined;
  /** This process works on the exposure, or has done so. */
  exposure: 'none' | 'running' | 'done';
  /** This process watches the data path. */
  active: boolean;
  /** When this process first saw spec.cancel; epoch ms. */
  cancelSeenMs?: number | undefined;
  limits: Pick<MovementLimits, 'prepareTimeoutMs' | 'forceCancelMs' | 'cancelForAnotherMs' | 'anotherNodeGraceMs'>;
}

/** The one thing to do next. */
export type Step =
  | { do: 'nothing'; why: string }
  | { do: 'wait'; on: string; againMs?: number }
  /** Terminal, and our finalizer is still there: take everything away, then the finalizer. */
  | { do: 'conclude' }
  /** Deleted while it runs: ask the data path to stop. */
  | { do: 'request-cancel'; message: string }
  | { do: 'accept' }
  | { do: 'expose' }
  | { do: 'mark-prepared' }
  | { do: 'start' }
  | { do: 'attach' }
  | { do: 'mark-canceling' }
  | { do: 'end'; phase: 'Canceled' | 'Failed'; message: string; diagnose?: boolean };

const nothing = (why: string): Step => ({ do: 'nothing', why });

/** Decides by phase. Pure; every phase has its function and every function ends in one step. */
export function decideMovement(seen: Seen): Step {
  const { object } = seen;
  if (!isBuiltInDataMover(object.spec.datamover)) return nothing('it is for another data mover');
  const phase = phaseOf(object);
  if (isTerminalPhase(phase)) return decideTerminal(seen);
  if (object.metadata.deletionTimestamp !== undefined && object.spec.cancel !== true) {
    const message = `Cancel ${object.kind.toLowerCase()} because it is being deleted`;
    return { do: 'request-cancel', message };
  }
  switch (phase) {
    case 'New':
      return object.spec.cancel === true ? canceled(seen) : { do: 'accept' };
    case 'Accepted':
      return decideAccepted(seen);
    case 'Prepared':
      return decidePrepared(seen);
    case 'InProgress':
    case 'Canceling':
      return decideRunning(seen, phase);
    default:
      return phase satisfies never;
  }
}

function canceled(seen: Seen): Step {
  return { do: 'end', phase: 'Canceled', message: seen.object.status?.message || `the ${seen.words} was canceled` };
}

/** Everything is cleaned up by the node that ran it; if that is gone, by any other. */
function decideTerminal({ object, node, active, nowMs, limits }: Seen): Step {
  if (active) return { do: 'wait', on: 'the log of the data path' };
  if (object.metadata.finalizers?.includes(finalizers.dataUploadDownload) !== true) return nothing('it has ended');
  const responsible = object.status?.node || object.status?.acceptedByNode || node;
  if (responsible === node) return { do: 'conclude' };
  const endedMs = Date.parse(object.status?.completionTimestamp ?? '') || nowMs;
  const leftMs = endedMs + limits.anotherNodeGraceMs - nowMs;
  return leftMs <= 0 ? { do: 'conclude' } : { do: 'wait', on: `node ${responsible} to conclude it`, againMs: leftMs };
}

function decideAccepted(seen: Seen): Step {
  const { object, node, pod, limits, nowMs } = seen;
  const mine = object.status?.acceptedByNode === node;
  if (object.spec.cancel === true) return mine ? canceled(seen) : cancelForAnother(seen, limits.cancelForAnotherMs);
  if (pod?.running === true && pod.node === node) return { do: 'mark-prepared' };
  if (mine && pod?.failure !== undefined) return { do: 'end', phase: 'Failed', message: pod.failure };
  const acceptedMs = Date.parse(object.status?.acceptedTimestamp ?? '');
  const leftMs = acceptedMs + limits.prepareTimeoutMs + (mine ? 0 : limits.anotherNodeGraceMs) - nowMs;
  if (leftMs <= 0) return { do: 'end', phase: 'Failed', message: `timeout on preparing ${seen.words}`, diagnose: true };
  if (mine && seen.exposure === 'none') return { do: 'expose' };
  const on = mine ? 'the hosting pod' : `node ${object.status?.acceptedByNode} to prepare it`;
  // Without a readable acceptedTimestamp there is no deadline to wake up for.
  return { do: 'wait', on, ...(Number.isNaN(leftMs) ? {} : { againMs: leftMs }) };
}

function decidePrepared(seen: Seen): Step {
  const { object, node, pod, limits } = seen;
  const mine = object.status?.node === node;
  if (object.spec.cancel === true) return mine ? canceled(seen) : cancelForAnother(seen, limits.cancelForAnotherMs);
  if (!mine) return nothing(`node ${object.status?.node} runs it`);
  if (pod?.failure !== undefined) return { do: 'end', phase: 'Failed', message: pod.failure };
  return { do: 'start' };
}

function decideRunning(seen: Seen, phase: 'InProgress' | 'Canceling'): Step {
  const { object, node, active, limits } = seen;
  const cancel = object.spec.cancel === true;
  if (object.status?.node !== node) {
    return cancel ? cancelForAnother(seen, limits.forceCancelMs) : nothing(`node ${object.status?.node} runs it`);
  }
  if (!active) return { do: 'attach' };
  if (!cancel) return { do: 'wait', on: 'the data path' };
  if (phase === 'InProgress') return { do: 'mark-canceling' };
  return cancelForAnother(seen, limits.forceCancelMs);
}

/** Who has it in hand may cancel it until `withinMs` have passed since the cancel was first seen. */
function cancelForAnother({ words, cancelSeenMs, nowMs }: Seen, withinMs: number): Step {
  const leftMs = (cancelSeenMs ?? nowMs) + withinMs - nowMs;
  if (leftMs > 0) return { do: 'wait', on: 'the data path to stop', againMs: leftMs };
  return {
    do: 'end',
    phase: 'Canceled',
    message: `the ${words} did not stop within ${withinMs / 1000} s after it was canceled`,
  };
}
