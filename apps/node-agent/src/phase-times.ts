import { isTerminalPhase } from '@lateen/api-types';
import type { MovementChange } from '@lateen/data-movement';

/** The stages of a movement, in their order. */
export const stages = ['queued', 'preparing', 'waiting', 'moving'] as const;
export type Stage = (typeof stages)[number];

export interface StageTime {
  stage: Stage;
  ms: number;
}

/**
 * Measures how long movements stay in their phases, from the changes that this process sees. The API stores times in whole
 * seconds and none for Prepared, so the moments at which this process saw a change count; the API's time is used only for a
 * movement that was under way when the process started. Bounded by the movements of this node that have not ended.
 */
export class PhaseTimes {
  readonly #sinceMs = new Map<string, number>();

  /** The stage that ended with this change, if one did. A change that skips a phase ends none. */
  see(change: MovementChange): StageTime | undefined {
    const { uid, type, previous, present, seenMs } = change;
    if (type === 'deleted' || isTerminalPhase(present.phase)) {
      const time = this.#ended(change);
      this.#sinceMs.delete(uid);
      return time;
    }
    if (previous === undefined || previous.phase === present.phase) return undefined;
    const time = this.#ended(change);
    // Canceling is a part of the data path's time.
    if (present.phase !== 'Canceling') this.#sinceMs.set(uid, seenMs);
    return time;
  }

  #ended(change: MovementChange): StageTime | undefined {
    const stage = stageEndedBy(change);
    if (stage === undefined) return undefined;
    const sinceMs = this.#sinceMs.get(change.uid) ?? recordedStart(stage, change);
    return sinceMs === undefined ? undefined : { stage, ms: Math.max(change.seenMs - sinceMs, 0) };
  }
}

function stageEndedBy({ type, previous, present }: MovementChange): Stage | undefined {
  if (type !== 'updated' || previous === undefined || previous.phase === present.phase) return undefined;
  const move = `${previous.phase} ${present.phase}`;
  if (move === 'New Accepted') return 'queued';
  if (move === 'Accepted Prepared') return 'preparing';
  if (move === 'Prepared InProgress') return 'waiting';
  const wasMoving = previous.phase === 'InProgress' || previous.phase === 'Canceling';
  return wasMoving && isTerminalPhase(present.phase) ? 'moving' : undefined;
}

function recordedStart(stage: Stage, change: MovementChange): number | undefined {
  if (stage === 'queued') return change.createdMs;
  if (stage === 'preparing') return change.acceptedMs;
  return stage === 'moving' ? change.startedMs : undefined;
}
