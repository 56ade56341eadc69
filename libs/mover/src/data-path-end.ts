import { interruptedSuffix } from '@lateen/datapath';
import { describeError, isAppError } from '@lateen/errors';
import type { EventSubject } from '@lateen/kube-runtime';
import type { AttemptFence } from './attempt-fence.ts';
import { canceledEvent, type DataPathEvent, failedEvent, failureText } from './data-path-messages.ts';
import type { DataPathPorts, DataPathTask } from './data-path-ports.ts';
import type { DataPathSubject } from './data-path-subject.ts';

/** How the process ends. */
export interface DataPathEnd {
  exitCode: 0 | 1;
  terminationMessage: string;
  /** The engine continues although it must not: the process has to end at once, and end the engine with it. */
  engineHangs: boolean;
}

/** What has been reached; decides how an end is reported. */
export interface Run {
  task: DataPathTask;
  subject: DataPathSubject;
  /** Undefined until the custom resource was read: without its UID no Event can be told. */
  about: EventSubject | undefined;
  /** The engine may hold a lock from here on. */
  opened: boolean;
  started: boolean;
  /** Of a mover that writes a volume. */
  fence: AttemptFence | undefined;
}

/** True when the process or its engine was ended from outside, whatever broke because of it. */
const isInterrupted = ({ fence }: Run, error: unknown, stop: AbortSignal): boolean =>
  !isAppError(error, 'DATA_PATH_CANCELED') &&
  (stop.aborted ||
    isAppError(fence?.lost.reason, 'DATA_PATH_UNCONFIRMED') ||
    ['ENGINE_KILLED', 'DATA_PATH_OVERDUE', 'DATA_PATH_NOT_OURS'].some((code) => isAppError(error, code)));

/** What a stop leaves behind, where that is known: an uploader rejects with the signal's reason only when all has ended. */
function leftBehind({ opened }: Run, error: unknown): string {
  if (!isAppError(error, 'STOPPED') && !isAppError(error, 'DATA_PATH_UNCONFIRMED')) return '';
  return opened ? '; the engine has ended and the repository is unlocked' : '; no data was moved';
}

/** Tells how a data path that did not complete has ended. */
export function failed(run: Run, ports: DataPathPorts, error: unknown, stop: AbortSignal): DataPathEnd {
  const { task, subject } = run;
  const interrupted = isInterrupted(run, error, stop);
  const text = `${describeError(error)}${interrupted ? `${leftBehind(run, error)}: ${interruptedSuffix}` : ''}`;
  if (isAppError(error, 'DATA_PATH_CANCELED')) {
    record(run, ports, canceledEvent(subject, task.name));
    ports.log.info({}, 'the data path is canceled');
  } else {
    record(run, ports, failedEvent(subject, task.name, text));
    ports.log.error({ err: error, text }, interrupted ? 'the data path was interrupted' : 'the data path has failed');
  }
  const engineHangs = isAppError(error, 'DATA_PATH_OVERDUE');
  return { exitCode: 1, terminationMessage: failureText(subject, task.name, text), engineHangs };
}

/** Without effect while the custom resource's uid is not known. */
export function record(run: Run, ports: DataPathPorts, event: DataPathEvent): void {
  if (run.about === undefined) return;
  ports.record(run.about, event);
}
