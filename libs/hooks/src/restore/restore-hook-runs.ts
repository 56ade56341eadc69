import type { Pod, Restore } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { durationText, orAborted, semaphore, settledOrAborted } from '@lateen/kernel';
import { type KubeApi, keyOf, keyText, type ObjectKey, type Unstructured } from '@lateen/kube';
import type { HookPorts } from '../exec/run-hook.ts';
import type { HookCounts } from '../exec/run-pod-hooks.ts';
import { type RestorePodHook, restoreHooksOf } from './restore-hooks-of.ts';
import { RestoredPods } from './restored-pods.ts';
import { type RestoreHookPorts, runRestoreHooks } from './run-restore-hooks.ts';

/** Commands of hooks that run at once in one restore; each holds a connection to the API server. */
const commandsMax = 32;

export interface RestoreHookRunsPorts extends HookPorts {
  kube: KubeApi;
}

/** A hook that has failed, to be told as an error of the restore in the pod's namespace. */
export interface RestoreHookFailure {
  pod: ObjectKey;
  error: AppError;
}

export interface RestoreHooksOutcome extends HookCounts {
  failures: readonly RestoreHookFailure[];
}

/**
 * The exec hooks of one restore, from its first pod to its end. They begin while objects are still restored, and are waited for when the
 * restore is finalized.
 */
export interface RestoreHookRuns {
  /** A pod was created: its hooks run as soon as its containers are up. A second call for the same pod does nothing. */
  podCreated(pod: Unstructured): void;
  /** Hooks of pods so far, and those of them that have failed. */
  readonly counts: HookCounts;
  /**
   * Resolves when every hook has run or has failed; what is open after `timeoutMs` has failed. Nothing runs afterwards.
   * @throws the signal's reason; hooks then go on, for the next call
   */
  waitForHooks(timeoutMs: number, signal: AbortSignal): Promise<RestoreHooksOutcome>;
  /** Breaks off what runs; for a controller that stops, and for a restore that has no end to wait for. Safe to repeat. */
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
      const reason = `hooks are waited for ${durationText(timeoutMs)} after everything else is restored`;
      await orAborted(stop(new AppError('RESTORE_HOOKS_LATE', reason)), signal);
      return { attempted, failed: failures.length, failures };
    },
    stop,
  };
}
