import type { NoRoom } from '@lateen/block-engine';
import type { Condition } from '@lateen/storage-types';
import { type StatedCondition, withCondition } from '../conditions/with-condition.ts';
import type { EventWish } from '../decision/decision.ts';

/** Of an Engine, ours: `False` while the only replica that can be read has no room for writes, which fail with ENOSPC then. */
export const roomForWrites = 'RoomForWrites';

/** The engine tells of refusals once a minute for as long as there are some. */
const refusesMs = 150_000;

interface RoomDecision {
  readonly conditions: Condition[];
  readonly events: readonly EventWish[];
  readonly again?: { readonly afterMs: number; readonly reason: string };
}

/**
 * The condition {@link roomForWrites}, and an Event when writes begin to fail. An engine that never had to refuse anything has no such condition.
 * `noRoom`: what its host tells; absent when it does not run.
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
