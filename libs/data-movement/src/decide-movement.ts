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
  /** When this process first saw the cancel of a running path; epoch ms. */
  cancelSeenMs?: number | undefined;
  limits: Pick<MovementLimits, 'prepareTimeoutMs' | 'forceCancelMs'>;
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

function decideTerminal({ object, node, active }: Seen): Step {
  if (active) return { do: 'wait', on: 'the log of the data path' };
  if (object.metadata.finalizers?.includes(finalizers.dataUploadDownload) !== true) return nothing('it has ended');
  const responsible = object.status?.node || object.status?.acceptedByNode || node;
  return responsible === node ? { do: 'conclude' } : nothing(`node ${responsible} concludes it`);
}

function decideAccepted(seen: Seen): Step {
  const { object, node, pod, limits, nowMs } = seen;
  if (pod?.running === true && pod.node === node && object.spec.cancel !== true) return { do: 'mark-prepared' };
  const acceptedBy = object.status?.acceptedByNode ?? '';
  if (acceptedBy !== node) return nothing(`node ${acceptedBy} exposes it`);
  if (object.spec.cancel === true) return canceled(seen);
  if (pod?.failure !== undefined) return { do: 'end', phase: 'Failed', message: pod.failure };
  const leftMs = Date.parse(object.status?.acceptedTimestamp ?? '') + limits.prepareTimeoutMs - nowMs;
  if (leftMs <= 0) return { do: 'end', phase: 'Failed', message: `timeout on preparing ${seen.words}`, diagnose: true };
  if (seen.exposure === 'none') return { do: 'expose' };
  // Without a readable acceptedTimestamp there is no deadline to wake up for.
  return { do: 'wait', on: 'the hosting pod', ...(Number.isNaN(leftMs) ? {} : { againMs: leftMs }) };
}

function decidePrepared(seen: Seen): Step {
  const { object, node, pod } = seen;
  if (object.status?.node !== node) return nothing(`node ${object.status?.node} runs it`);
  if (object.spec.cancel === true) return canceled(seen);
  if (pod?.failure !== undefined) return { do: 'end', phase: 'Failed', message: pod.failure };
  return { do: 'start' };
}

function decideRunning(seen: Seen, phase: 'InProgress' | 'Canceling'): Step {
  const { object, node, active, cancelSeenMs, nowMs, limits } = seen;
  if (object.status?.node !== node) return nothing(`node ${object.status?.node} runs it`);
  if (!active) return { do: 'attach' };
  if (object.spec.cancel !== true) return { do: 'wait', on: 'the data path' };
  if (phase === 'InProgress') return { do: 'mark-canceling' };
  const leftMs = (cancelSeenMs ?? nowMs) + limits.forceCancelMs - nowMs;
  if (leftMs > 0) return { do: 'wait', on: 'the data path to stop', againMs: leftMs };
  const message = `the ${seen.words} did not stop within ${limits.forceCancelMs / 1000} s after it was canceled`;
  return { do: 'end', phase: 'Canceled', message };
}
