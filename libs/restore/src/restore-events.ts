import type { Restore, RestorePhase } from '@lateen/api-types';
import type { Logger } from '@lateen/kernel';
import { type EventRecorder, eventSubject } from '@lateen/kube-runtime';
import { phaseOf } from './phases/phase-moves.ts';
import type { Turn } from './turns/decide-turn.ts';

export interface Telling {
  events: EventRecorder;
  log: Logger;
}

/** Phases that need a user's attention. */
const warnings: ReadonlySet<RestorePhase> = new Set(['FailedValidation', 'PartiallyFailed', 'Failed']);

/** Creates one Event for each phase that a Restore reaches: the phase is the reason, the message says why. */
export function tellPhase({ events, log }: Telling, restore: Restore): void {
  const phase = phaseOf(restore);
  const message = phaseMessage(restore);
  const isWarning = warnings.has(phase);
  log[isWarning ? 'warn' : 'info'](
    { restore: restore.metadata.name, phase, reason: message },
    'the phase of a restore has changed',
  );
  events.record(eventSubject(restore), phase, message, { type: isWarning ? 'Warning' : 'Normal' });
}

/** Creates one Event for a restore that waits for others. */
export function tellWaiting({ events, log }: Telling, restore: Restore, turn: Turn): void {
  const message = waitingMessage(turn);
  log.info({ restore: restore.metadata.name, reason: message }, 'a restore waits for others');
  events.record(eventSubject(restore), 'Waiting', message, { type: 'Normal' });
}

/** Creates one Event for a restore that this controller continues after another one has died. */
export function tellContinued({ events, log }: Telling, restore: Restore, attempt: number): void {
  const message = `The controller that worked on the restore is gone; its work continues, attempt ${attempt}`;
  log.warn({ restore: restore.metadata.name, attempt }, 'the work on a restore continues after another controller');
  events.record(eventSubject(restore), 'Continued', message, { type: 'Warning' });
}

/** Creates one Event for a restore that waits until its location is available. */
export function tellLocationAwaited({ events, log }: Telling, restore: Restore, location: string): void {
  const message = `BackupStorageLocation ${location} is unavailable; the restore continues when it is available again`;
  log.warn({ restore: restore.metadata.name, location }, 'a restore waits for its location');
  events.record(eventSubject(restore), 'Waiting', message, { type: 'Warning' });
}

/** How many restores an Event names. */
const namedMax = 5;

/** Pure. */
export function waitingMessage({ waitsFor, why }: Turn): string {
  const more = waitsFor.length > namedMax ? ` and ${waitsFor.length - namedMax} more` : '';
  const names = `${waitsFor.slice(0, namedMax).join(', ')}${more}`;
  return why === 'places'
    ? `The restore waits for a slot: the maximum number of restores is running (--concurrent-restores): ${names}`
    : `The restore waits for others that may write to the same objects: ${names}`;
}

/** The phase in one sentence, with the cause of a failure. Pure. */
export function phaseMessage(restore: Restore): string {
  const { status = {}, spec } = restore;
  const { errors = 0, warnings: warned = 0 } = status;
  const counts = `${plural(errors, 'error')} and ${plural(warned, 'warning')}`;
  const operations = status.restoreItemOperationsAttempted ?? 0;
  const failed = status.restoreItemOperationsFailed ?? 0;
  const phase = phaseOf(restore);
  switch (phase) {
    case 'New':
      return 'The restore is new';
    case 'FailedValidation':
      return `The restore is not valid: ${(status.validationErrors ?? []).join('; ')}`;
    case 'InProgress':
      return `The ${spec.dryRun === true ? 'plan of the restore' : 'restore'} of backup ${spec.backupName ?? ''} has begun`;
    case 'WaitingForPluginOperations':
    case 'WaitingForPluginOperationsPartiallyFailed':
      return `All objects are restored with ${counts}; ${plural(operations, 'operation')} under way or ended, ${failed} failed`;
    case 'Finalizing':
    case 'FinalizingPartiallyFailed':
      return `All objects are restored and no operation is under way; ${counts}, ${plural(failed, 'failed operation')}`;
    case 'Completed':
      return spec.dryRun === true
        ? `The plan is made: ${plural(status.progress?.totalItems ?? 0, 'item')}, nothing was written`
        : `The restore is complete: ${plural(status.progress?.itemsRestored ?? 0, 'item')}, ${plural(warned, 'warning')}`;
    case 'PartiallyFailed':
      return status.failureReason === undefined
        ? `The restore failed partially: ${counts}, ${plural(failed, 'failed operation')}. See its results and its log`
        : `The restore failed partially: ${status.failureReason}`;
    case 'Failed':
      return `The restore failed: ${status.failureReason ?? 'for an unknown reason'}`;
    case 'Canceling':
      return 'The restore is being cancelled; its running work is being ended';
    case 'Canceled':
      return 'The restore was cancelled; what it has restored until then stays';
    default:
      return phase satisfies never;
  }
}

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
