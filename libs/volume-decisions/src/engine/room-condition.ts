import type { NoRoom } from '@lateen/block-engine';
import type { Condition } from '@lateen/storage-types';
import { type StatedCondition, withCondition } from '../conditions/with-condition.ts';
import type { EventWish } from '../decision/decision.ts';

/** A condition of an Engine that only Lateen has: `False` while the only readable replica has no space for writes, which then fail with ENOSPC. */
export const roomForWrites = 'RoomForWrites';

/** The engine reports refused writes once a minute while there are any. */
const refusesMs = 150_000;

interface RoomDecision {
  readonly conditions: Condition[];
  readonly events: readonly EventWish[];
  readonly again?: { readonly afterMs: number; readonly reason: string };
}

/**
 * The condition {@link roomForWrites}, and an Event when writes begin to fail. An engine that never refused a write does not have the condition.
 * `noRoom`: the report of its host; absent when the engine does not run.
 */
export function withRoom(conditions: Condition[], noRoom: NoRoom | undefined, nowMs: number): RoomDecision {
  const before = conditions.find(({ type }) => type === roomForWrites);
  if (noRoom === undefined && before === undefined) return { conditions, events: [] };
  const leftMs = noRoom === undefined ? 0 : noRoom.atMs + refusesMs - nowMs;
  if (noRoom === undefined || leftMs <= 0) return { conditions: withCondition(conditions, accepts, nowMs), events: [] };
  const message = `writes fail with ENOSPC: ${noRoom.replica}, the only replica that can be read, has ${noRoom.message}; they succeed again as soon as there is room on its disk`;
  const refuses: StatedCondition = { type: roomForWrites, status: 'False', reason: 'NoRoom', message };
  return {
    conditions: withCondition(conditions, refuses, nowMs),
    events: before?.status === 'False' ? [] : [{ type: 'Warning', reason: 'NoRoom', message }],
    again: { afterMs: leftMs, reason: 'whether writes are still refused' },
  };
}

const accepts: StatedCondition = { type: roomForWrites, status: 'True', reason: '', message: '' };
