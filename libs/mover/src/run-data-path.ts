import { type BackupResult, inProcessDataPath, type OpenEngine, type RestoreResult } from '@lateen/datapath';
import { AppError, isAppError } from '@lateen/errors';
import { eventSubject } from '@lateen/kube-runtime';
import { type AttemptFence, attemptFence } from './attempt-fence.ts';
import { type DataPathEnd, failed, type Run, record } from './data-path-end.ts';
import {
  cancelingEvent,
  completedEvent,
  progressEvent,
  resultText,
  startedEvent,
  stoppedEvent,
  warningEvent,
} from './data-path-messages.ts';
import type { DataPathPorts, DataPathTask } from './data-path-ports.ts';
import { type DataPathResource, subjectOf, type VolumeMark } from './data-path-subject.ts';
import { openPatiently } from './open-patiently.ts';
import { attemptIn } from './own-attempt.ts';
import { progressThrottle } from './progress-throttle.ts';
import { askForOwn, waitInProgress, watchForEnd } from './wait-in-progress.ts';

/**
 * One data path from waiting for InProgress to its last Event (data-movement.md section 7). Never rejects: how it went
 * is in the result. `stop` aborts when the process was told to end.
 */
export async function runDataPath(task: DataPathTask, ports: DataPathPorts, stop: AbortSignal): Promise<DataPathEnd> {
  const notYet = { about: undefined, opened: false, started: false, fence: undefined };
  const run: Run = { task, subject: subjectOf(task.dataPath), ...notYet };
  const over = new AbortController();
  try {
    const result = await movedData(run, ports, { stop, over: over.signal });
    const terminationMessage = resultText(result);
    record(run, ports, completedEvent(terminationMessage));
    ports.log.info({ ...result }, 'the data path has completed');
    return { exitCode: 0, terminationMessage, engineHangs: false };
  } catch (error) {
    return failed(run, ports, error, stop);
  } finally {
    over.abort(new AppError('DATA_PATH_OVER', 'the data path is over'));
    record(run, ports, stoppedEvent(task.name, run.started));
  }
}

async function movedData(
  run: Run,
  ports: DataPathPorts,
  { stop, over }: { stop: AbortSignal; over: AbortSignal },
): Promise<BackupResult | RestoreResult> {
  const { task, subject } = run;
  const signal = AbortSignal.any([stop, over]);
  const key = { namespace: ports.namespace, name: task.name };
  const onSeen = (seen: DataPathResource) => {
    run.about = eventSubject(seen);
  };
  const resource = await waitInProgress(ports, subject, key, { onSeen, signal });
  ports.log.info({ kind: subject.kind, name: task.name }, 'the data path may start');
  const own = attemptIn(resource);
  const asked = watchForEnd(ports, subject, key, { own, signal });
  asked.addEventListener('abort', () => {
    if (isAppError(asked.reason, 'DATA_PATH_CANCELED')) record(run, ports, cancelingEvent(subject, task.name));
    ports.log.info({ err: asked.reason }, 'the data path is asked to end');
  });
  const either = AbortSignal.any([signal, asked]);
  // Two readers of one copy do no harm, so a backup continues without a confirmation; two writers would.
  if (subject.direction === 'backup') return await moveBytes(run, ports, resource, either);
  const ask = (askSignal: AbortSignal) => askForOwn(ports, subject, key, { own, signal: askSignal });
  run.fence = attemptFence({ ...ports, ask, limits: ports.fenceLimits }, over);
  return await moveFenced(run, ports, resource, { fence: run.fence, signal: either });
}

/** Nothing is written before the attempt is confirmed, and nothing is waited for when its engine should have ended. */
async function moveFenced(
  run: Run,
  ports: DataPathPorts,
  resource: DataPathResource,
  { fence, signal }: { fence: AttemptFence; signal: AbortSignal },
): Promise<BackupResult | RestoreResult> {
  const either = AbortSignal.any([signal, fence.lost]);
  await fence.confirmed(either);
  const moved = moveBytes(run, ports, resource, either);
  moved.catch(() => {});
  return await Promise.race([moved, fence.overdue]);
}

async function moveBytes(
  run: Run,
  ports: DataPathPorts,
  resource: DataPathResource,
  signal: AbortSignal,
): Promise<BackupResult | RestoreResult> {
  const { volumePath, volumeMode, resourceTimeoutMs } = run.task;
  // Before anything is moved: what is wrong with the resource is known without it.
  const [wish, moves] = [run.subject.wish(resource), run.subject.task(resource)];
  const ended = Promise.withResolvers<BackupResult | RestoreResult>();
  const throttle = progressThrottle(ports.clock, (progress) => record(run, ports, progressEvent(progress)));
  const mark = moves.direction === 'restore' ? moves.mark : undefined;
  let isMarked = false;
  const path = inProcessDataPath({
    open: async (_, openSignal) => {
      await ports.checkVolume();
      isMarked = mark !== undefined && (await ports.isMarked(mark));
      if (mark !== undefined && isMarked) return restoredBefore(mark, ports);
      const engine = await openPatiently(
        ports,
        { wish, resource },
        { timeoutMs: resourceTimeoutMs, signal: openSignal },
      );
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
    if (moves.direction === 'backup') await path.startBackup(wish.config, moves.source);
    else await path.startRestore(moves.snapshotID, wish.config, undefined);
    const result = await ended.promise;
    if (mark !== undefined && !isMarked) await ports.markVolume(mark, signal);
    return result;
  } finally {
    throttle.end();
    await path.close();
  }
}

/**
 * An earlier attempt ended after it had left the mark. The pod of the volume may start at any moment, so no process may write any more; all
 * data is written already.
 */
function restoredBefore({ totalBytes }: VolumeMark, { log }: DataPathPorts): OpenEngine {
  log.info({ totalBytes }, 'the volume has the mark of this restore: an earlier attempt has restored it');
  const nothing = () => Promise.reject(new Error('a restored volume is not backed up'));
  return { uploader: { upload: nothing, download: async () => ({ totalBytes }) }, close: async () => {} };
}
