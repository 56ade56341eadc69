import type { Backup } from '@lateen/api-types';
import { isHeld } from '../api/write-backup.ts';
import { isFinalizing, isUnbegun, isUnderWay, isWaiting, phaseOf } from './phase-moves.ts';

export type BackupStep =
  /** Nothing to do, or the queue handles it. */
  | 'leave'
  /** Validate, claim and run it. */
  | 'begin'
  /** It is InProgress, and no controller works on it. */
  | 'pick up'
  /** Follow its operations. */
  | 'follow'
  | 'finalize'
  /** Cancellation is requested and the backup has not started. */
  | 'cancel at once'
  /** Cancellation is requested while work is under way. */
  | 'cancel'
  /** Canceling: delete what was created for the backup. */
  | 'take back'
  /** Deleted while work was under way: delete what was created for the backup, then remove our finalizer. */
  | 'take back and release'
  /** Deleted, with our finalizer, and nothing of ours is left. */
  | 'release';

/** Decides what to do with a Backup that no run of this process works on. Pure. */
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
