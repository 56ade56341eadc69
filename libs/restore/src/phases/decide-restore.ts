import type { Restore } from '@lateen/api-types';
import { isHeld } from '../api/write-restore.ts';
import { isFinalizing, isNew, isUnderWay, isWaiting, phaseOf } from './phase-moves.ts';

export type RestoreStep =
  /** Nothing to do. */
  | 'leave'
  /** Validate it, and run it when it is its turn. */
  | 'begin'
  /** It is InProgress, and nobody works on it: its work goes on. */
  | 'pick up'
  /** Follow its operations. */
  | 'follow'
  | 'finalize'
  /** To be cancelled before it has begun. */
  | 'cancel at once'
  /** To be cancelled: its work is under way. */
  | 'cancel'
  /** Canceling: what it has under way ends, what it has restored stays. */
  | 'end'
  /** Being deleted while it was under way: what it has under way ends, then it goes. */
  | 'end and release'
  /** Being deleted, with our finalizer and nothing of ours under way. */
  | 'release';

/** What is to be done about a Restore that no run of this process works on. Pure. */
export function decideRestore(restore: Restore): RestoreStep {
  const cancel = restore.spec.cancel === true;
  if (restore.metadata.deletionTimestamp !== undefined) {
    if (!isHeld(restore)) return 'leave';
    return isUnderWay(restore) ? 'end and release' : 'release';
  }
  if (isNew(restore)) return cancel ? 'cancel at once' : 'begin';
  if (!isUnderWay(restore)) return isHeld(restore) ? 'release' : 'leave';
  if (phaseOf(restore) === 'Canceling') return 'end';
  if (cancel) return 'cancel';
  if (isWaiting(restore)) return 'follow';
  return isFinalizing(restore) ? 'finalize' : 'pick up';
}
