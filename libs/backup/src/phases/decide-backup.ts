import type { Backup } from '@lateen/api-types';
import { isHeld } from '../api/write-backup.ts';
import { isFinalizing, isUnbegun, isUnderWay, isWaiting, phaseOf } from './phase-moves.ts';

export type BackupStep =
  /** Nothing to do, or the queue's business. */
  | 'leave'
  /** Validate, claim and run it. */
  | 'begin'
  /** It is InProgress, and nobody works on it. */
  | 'pick up'
  /** Follow its operations. */
  | 'follow'
  | 'finalize'
  /** To be cancelled before it has begun. */
  | 'cancel at once'
  /** To be cancelled: its work is under way. */
  | 'cancel'
  /** Canceling: what was made for it goes. */
  | 'take back'
  /** Being deleted while it was under way: what was made for it goes, then it. */
  | 'take back and release'
  /** Being deleted, with our finalizer and nothing of ours left. */
  | 'release';

/** What is to be done about a Backup that no run of this process works on. Pure. */
export function decideBackup(backup: Backup): BackupStep {
  const cancel = backup.spec.cancel === true;
  if (backup.metadata.deletionTimestamp !== undefined) {
    if (!isHeld(backup)) return 'leave';
    return isUnderWay(backup) ? 'take back and release' : 'release';
  }
  if (isUnbegun(backup)) {
    if (cancel) return 'cancel at once';
    return phaseOf(backup) === 'ReadyToStart' ? 'begin' : 'leave';
  }
  if (!isUnderWay(backup)) return isHeld(backup) ? 'release' : 'leave';
  if (phaseOf(backup) === 'Canceling') return 'take back';
  if (cancel) return 'cancel';
  if (isWaiting(backup)) return 'follow';
  return isFinalizing(backup) ? 'finalize' : 'pick up';
}
