import type { Restore } from '@lateen/api-types';
import { isHeld } from '../api/write-restore.ts';
import { isFinalizing, isNew, isUnderWay, isWaiting, phaseOf } from './phase-moves.ts';

export type RestoreStep =
  /** Nothing to do. */
  | 'leave'
  /** Validate it, and run it when its turn comes. */
  | 'begin'
  /** It is InProgress, and no controller works on it: continue its work. */
  | 'pick up'
  /** Follow its operations. */
  | 'follow'
  | 'finalize'
  /** Cancellation is requested and the restore has not started. */
  | 'cancel at once'
  /** Cancellation is requested while work is under way. */
  | 'cancel'
  /** Canceling: end the work under way; restored objects stay. */
  | 'end'
  /** Deleted while work was under way: end that work, then remove our finalizer. */
  | 'end and release'
  /** Deleted, with our finalizer, and none of our work is under way. */
  | 'release';

/** Decides what to do with a Restore that no run of this process works on. Pure. */
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
