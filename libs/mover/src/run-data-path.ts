import { type BackupResult, inProcessDataPath, interruptedSuffix, type RestoreResult } from '@lateen/datapath';
import { AppError, describeError, isAppError } from '@lateen/errors';
import { type EventSubject, eventSubject } from '@lateen/kube-runtime';
import {
  canceledEvent,
  cancelingEvent,
  completedEvent,
  type DataPathEvent,
  failedEvent,
  failureText,
  progressEvent,
  startedEvent,
  stoppedEvent,
  warningEvent,
} from './data-path-messages.ts';
import type { DataPathPorts, DataPathTask } from './data-path-ports.ts';
import { type DataPathResource, type DataPathSubject, engineTask, subjectOf } from './data-path-subject.ts';
import { openPatiently } from './open-patiently.ts';
import { progressThrottle } from './progress-throttle.ts';
import { waitInProgress, watchForEnd } from './wait-in-progress.ts';

/** How the process ends. */
export interface DataPathEnd {
  exitCode: 0 | 1;
  terminationMessage: string;
}

/** What has been reached; decides how an end is reported. */
interface Run {
  task: DataPathTask;
  subject: DataPathSubject;
  /** Undefined until the custom resource was read: without its UID no Event can be told. */
  about: EventSubject | undefined;
  /** The engine may hold a lock from here on. */
  opened: boolean;
  started: boolean;
}

/**
 * One data path from waiting for InProgress to its last Event (data-movement.md section 7). Never rejects: how it went
 * is in the result. `stop` aborts when the process was told to end.
 */
export async function runDataPath(task: DataPathTask, ports: DataPathPorts, stop: AbortSignal): Promise<DataPathEnd> {
  const run: Run = { task, subject: subjectOf(task.direction), about: undefined, opened: false, started: false };
  const over = new AbortController();
  try {
    const result = await movedData(run, ports, AbortSignal.any([stop, over.signal]));
    record(run, ports, completedEvent(result));
    ports.log.info({ ...result }, 'the data path has completed');
    return { exitCode: 0, terminationMessage: JSON.stringify(result) };
  } catch (error) {
    return failed(run, ports, error, isInterrupted(error, stop));
  } finally {
    over.abort(new AppError('DATA_PATH_OVER', 'the data path is over'));
    record(run, ports, stoppedEvent(task.name, run.started));
  }
}

async function movedData(run: Run, ports: DataPathPorts, signal: AbortSignal): Promise<BackupResult | RestoreResult> {
  const { task, subject } = run;
  const key = { namespace: ports.namespace, name: task.name };
  const onSeen = (seen: DataPathResource) => {
    run.about = eventSubject(seen);
  };
  const resource = await waitInProgress(ports, subject, key, { onSeen, signal });
  ports.log.info({ kind: subject.kind, name: task.name }, 'the data path may start');
  const asked = watchForEnd(ports, subject, key, signal);
  asked.addEventListener('abort', () => {
    if (isAppError(asked.reason, 'DATA_PATH_CANCELED')) record(run, ports, cancelingEvent(subject, task.name));
    ports.log.info({ err: asked.reason }, 'the data path is asked to end');
  });
  return moveBytes(run, ports, resource, AbortSignal.any([signal, asked]));
}

async function moveBytes(
  run: Run,
  ports: DataPathPorts,
  resource: DataPathResource,
  signal: AbortSignal,
): Promise<BackupResult | RestoreResult> {
  const { volumePath, volumeMode, direction, resourceTimeoutMs } = run.task;
  const ended = Promise.withResolvers<BackupResult | RestoreResult>();
  const throttle = progressThrottle(ports.clock, (progress) => record(run, ports, progressEvent(progress)));
  const path = inProcessDataPath({
    open: async (_, openSignal) => {
      await ports.checkVolume();
      const engine = await openPatiently(ports, resource, { timeoutMs: resourceTimeoutMs, signal: openSignal });
      run.opened = true;
      return engine;
    },
    callbacks: {
      onStarted: () => {
        run.started = true;
        record(run, ports, startedEvent(run.task.name));
      },
      onProgress: throttle.update,
      onWarning: (text) => record(run, ports, warningEvent(text)),
      onCompleted: ended.resolve,
      onFailed: ended.reject,
      onCancelled: () => ended.reject(signal.reason),
    },
  });
  try {
    await path.init({ byPath: volumePath, volumeMode }, { signal });
    signal.throwIfAborted();
    signal.addEventListener('abort', path.cancel, { once: true });
    const moves = engineTask(direction, resource);
    if (moves.direction === 'backup') await path.startBackup(moves.config, moves.source);
    else await path.startRestore(moves.snapshotID, moves.config, undefined);
    return await ended.promise;
  } finally {
    throttle.end();
    await path.close();
  }
}

/** True when the process or its engine was ended from outside, whatever broke because of it. */
const isInterrupted = (error: unknown, stop: AbortSignal): boolean =>
  (stop.aborted || isAppError(error, 'ENGINE_KILLED')) && !isAppError(error, 'DATA_PATH_CANCELED');

/** What a stop leaves behind, where that is known: an uploader rejects with the signal's reason only when all has ended. */
function leftBehind({ opened }: Run, error: unknown): string {
  if (!isAppError(error, 'STOPPED')) return '';
  return opened ? '; the engine has ended and the repository is unlocked' : '; no data was moved';
}

function failed(run: Run, ports: DataPathPorts, error: unknown, interrupted: boolean): DataPathEnd {
  const { task, subject } = run;
  const text = `${describeError(error)}${interrupted ? `${leftBehind(run, error)}: ${interruptedSuffix}` : ''}`;
  if (isAppError(error, 'DATA_PATH_CANCELED')) {
    record(run, ports, canceledEvent(subject, task.name));
    ports.log.info({}, 'the data path is canceled');
  } else {
    record(run, ports, failedEvent(subject, task.name, text));
    ports.log.error({ err: error, text }, interrupted ? 'the data path was interrupted' : 'the data path has failed');
  }
  return { exitCode: 1, terminationMessage: failureText(subject, task.name, text) };
}

function record(run: Run, ports: DataPathPorts, event: DataPathEvent): void {
  if (run.about === undefined) return;
  ports.record(run.about, event);
}
