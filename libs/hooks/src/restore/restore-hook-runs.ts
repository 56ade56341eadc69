import type { Pod, Restore } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { durationText, orAborted, semaphore, settledOrAborted } from '@lateen/kernel';
import { type KubeApi, keyOf, keyText, type ObjectKey, type Unstructured } from '@lateen/kube';
import type { HookPorts } from '../exec/run-hook.ts';
import type { HookCounts } from '../exec/run-pod-hooks.ts';
import { type RestorePodHook, restoreHooksOf } from './restore-hooks-of.ts';
import { RestoredPods } from './restored-pods.ts';
import { type RestoreHookPorts, runRestoreHooks } from './run-restore-hooks.ts';

/** How many hook commands of one restore run at the same time; each holds a connection to the API server. */
const commandsMax = 32;

export interface RestoreHookRunsPorts extends HookPorts {
  kube: KubeApi;
}

/** A failed hook, which is reported as an error of the restore in the pod's namespace. */
export interface RestoreHookFailure {
  pod: ObjectKey;
  error: AppError;
}

export interface RestoreHooksOutcome extends HookCounts {
  failures: readonly RestoreHookFailure[];
}

/**
 * The exec hooks of one restore, from its first pod to its end. They start while objects are still being restored; finalization waits
 * for them.
 */
export interface RestoreHookRuns {
  /** Call it when a pod was created: its hooks run as soon as its containers are up. A second call for the same pod does nothing. */
  podCreated(pod: Unstructured): void;
  /** The number of hooks so far, and how many of them have failed. */
  readonly counts: HookCounts;
  /**
   * Resolves when every hook has succeeded or failed; hooks that are unfinished after `timeoutMs` fail. Nothing runs afterwards.
   * @throws the signal's reason; the hooks then continue, and the next call waits for them
   */
  waitForHooks(timeoutMs: number, signal: AbortSignal): Promise<RestoreHooksOutcome>;
  /** Aborts running hooks: for a controller that stops, and for a restore that is not finalized. Safe to repeat. */
  stop(reason: Error): Promise<void>;
}

export function restoreHookRuns(restore: Restore, ports: RestoreHookRunsPorts): RestoreHookRuns {
  const pods = new RestoredPods(restore.metadata.name ?? '', ports);
  const stopped = new AbortController();
  const running = new Map<string, Promise<void>>();
  const failures: RestoreHookFailure[] = [];
  let attempted = 0;
  const places = semaphore({
    placesMax: commandsMax,
    waitingMax: Number.POSITIVE_INFINITY,
    full: () => new AppError('HOOKS_FULL', 'too many hooks wait'),
  });
  const hookPorts: RestoreHookPorts = { ...ports, pods, place: (signal) => places.take(signal) };

  const run = async (pod: Pod, hooks: readonly RestorePodHook[]): Promise<void> => {
    attempted += hooks.length;
    const failed = await runRestoreHooks(hooks, pod, hookPorts, stopped.signal);
    failures.push(...failed.map((error) => ({ pod: keyOf(pod), error })));
  };
  const stop = async (reason: Error) => {
    stopped.abort(reason);
    await Promise.all(running.values());
    pods.end();
  };

  return {
    podCreated: (created) => {
      const pod = created as unknown as Pod;
      const key = keyText(keyOf(pod));
      if (stopped.signal.aborted || running.has(key)) return;
      const hooks = restoreHooksOf(pod, restore.spec.hooks);
      if (hooks.length > 0) running.set(key, run(pod, hooks));
    },
    get counts() {
      return { attempted, failed: failures.length };
    },
    waitForHooks: async (timeoutMs, signal) => {
      const late = ports.clock.deadline(timeoutMs);
      const all = Promise.all(running.values());
      await settledOrAborted(all, AbortSignal.any([signal, late]));
      signal.throwIfAborted();
      const reason = `the restore waits for hooks for ${durationText(timeoutMs)} after everything else is restored`;
      await orAborted(stop(new AppError('RESTORE_HOOKS_LATE', reason)), signal);
      return { attempted, failed: failures.length, failures };
    },
    stop,
  };
}
