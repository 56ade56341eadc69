import type { Backup, BackupPhase } from '@lateen/api-types';
import type { Logger } from '@lateen/kernel';
import { type EventRecorder, eventSubject } from '@lateen/kube-runtime';
import type { OpenPodEnd } from './open-hooks/open-pod.ts';
import { phaseOf } from './phases/phase-moves.ts';

/** Phases that need a user's attention. */
const warnings: ReadonlySet<BackupPhase> = new Set(['FailedValidation', 'PartiallyFailed', 'Failed']);

/** Creates one Event for each phase that a Backup reaches: the phase is the reason, the message says why. */
export function tellPhase({ events, log }: { events: EventRecorder; log: Logger }, backup: Backup): void {
  const phase = phaseOf(backup);
  const message = phaseMessage(backup);
  const isWarning = warnings.has(phase);
  log[isWarning ? 'warn' : 'info'](
    { backup: backup.metadata.name, phase, reason: message },
    'the phase of a backup has changed',
  );
  events.record(eventSubject(backup), phase, message, { type: isWarning ? 'Warning' : 'Normal' });
}

/** Creates one Event for the pods whose hooks a controller had left open, because a user may want to check them. */
export function tellOpenHooks(
  { events, log }: { events: EventRecorder; log: Logger },
  backup: Backup,
  ends: readonly OpenPodEnd[],
): void {
  const message = openHooksMessage(ends);
  log.warn({ backup: backup.metadata.name, reason: message }, 'hooks of a backup were open');
  events.record(eventSubject(backup), 'OpenHooks', message, { type: 'Warning' });
}

/** How many pods an Event names for each kind of result. */
const podsNamedMax = 5;

/** Pure. */
export function openHooksMessage(ends: readonly OpenPodEnd[]): string {
  const parts = (['ran', 'gone', 'unknown', 'later'] as const).flatMap((kind) => {
    const some = ends.filter((end) => end.kind === kind);
    if (some.length === 0) return [];
    const names = some.slice(0, podsNamedMax).map(({ pod }) => `${pod.namespace}/${pod.name}`);
    const more = some.length > podsNamedMax ? [`${some.length - podsNamedMax} more`] : [];
    return [`${endWords[kind]} ${[...names, ...more].join(', ')}`];
  });
  const failed = ends.reduce((sum, end) => sum + (end.kind === 'ran' ? end.failed : 0), 0);
  const said = failed === 0 ? [] : [`${plural(failed, 'hook')} failed, see the log of the controller`];
  return `The controller ended between the pre and post hooks of pods: ${[...parts, ...said].join('; ')}`;
}

const endWords: Readonly<Record<OpenPodEnd['kind'], string>> = {
  ran: 'post hooks were now run in',
  gone: 'pods that no longer exist:',
  unknown: 'pods that cannot be read, check them for frozen file systems:',
  later: 'retried later:',
};

/** The phase in one sentence, with the cause of a failure. Pure. */
export function phaseMessage(backup: Backup): string {
  const { status = {}, spec } = backup;
  const { errors = 0, warnings: warned = 0 } = status;
  const counts = `${plural(errors, 'error')} and ${plural(warned, 'warning')}`;
  const operations = status.backupItemOperationsAttempted ?? 0;
  const failed = status.backupItemOperationsFailed ?? 0;
  const phase = phaseOf(backup);
  switch (phase) {
    case 'New':
      return 'The backup is new';
    case 'Queued':
      return `The backup waits at position ${status.queuePosition ?? 0} of the queue`;
    case 'ReadyToStart':
      return 'The backup is ready to start';
    case 'FailedValidation':
      return `The backup is not valid: ${(status.validationErrors ?? []).join('; ')}`;
    case 'InProgress':
      return `The backup has started, to storage location ${spec.storageLocation ?? ''}`;
    case 'WaitingForPluginOperations':
    case 'WaitingForPluginOperationsPartiallyFailed':
      return `All objects are stored with ${counts}; ${plural(operations, 'operation')} under way or ended, ${failed} failed`;
    case 'Finalizing':
    case 'FinalizingPartiallyFailed':
      return `All objects are stored and no operation is under way; ${counts}, ${plural(failed, 'failed operation')}`;
    case 'Completed':
      return `The backup is complete: ${plural(status.progress?.itemsBackedUp ?? 0, 'item')}, ${plural(warned, 'warning')}`;
    case 'PartiallyFailed':
      return status.failureReason === undefined
        ? `The backup failed partially: ${counts}, ${plural(failed, 'failed operation')}. See its results and its log`
        : `The backup failed partially: ${status.failureReason}`;
    case 'Failed':
      return `The backup failed: ${status.failureReason ?? 'for an unknown reason'}`;
    case 'Deleting':
      return 'The backup is being deleted';
    case 'Canceling':
      return 'The backup is being cancelled, and the objects created for it are deleted';
    case 'Canceled':
      return 'The backup was cancelled, and nothing of it is left';
    default:
      return phase satisfies never;
  }
}

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
