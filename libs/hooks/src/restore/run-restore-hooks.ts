import type { Pod } from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
import { durationText } from '@lateen/kernel';
import { keyOf, keyText } from '@lateen/kube';
import { type HookPorts, runHook } from '../exec/run-hook.ts';
import { containerUp, type PodState } from './container-up.ts';
import type { RestorePodHook } from './restore-hooks-of.ts';
import type { RestoredPods } from './restored-pods.ts';

export interface RestoreHookPorts extends HookPorts {
  pods: RestoredPods;
  /** Waits for a slot among the concurrent commands; it resolves to the function that releases the slot. */
  place(signal: AbortSignal): Promise<() => void>;
}

/**
 * Runs the hooks of one restored pod when their containers are up; the hooks of one container run one after the other.
 * @returns the reasons of the failed hooks, in order; after a failure with on-error Fail the remaining hooks do not run and count as failed
 */
export async function runRestoreHooks(
  hooks: readonly RestorePodHook[],
  pod: Pod,
  ports: RestoreHookPorts,
  signal: AbortSignal,
): Promise<AppError[]> {
  const run = new PodHooks(hooks, pod, ports, signal);
  await run.toEnd();
  return run.failures;
}

class PodHooks {
  readonly failures: AppError[] = [];
  readonly #pod: Pod;
  readonly #ports: RestoreHookPorts;
  readonly #signal: AbortSignal;
  readonly #beganMs: number;
  /** The unfinished hooks by container. */
  readonly #open: Map<string, RestorePodHook[]>;

  constructor(hooks: readonly RestorePodHook[], pod: Pod, ports: RestoreHookPorts, signal: AbortSignal) {
    this.#pod = pod;
    this.#ports = ports;
    this.#signal = signal;
    this.#beganMs = ports.clock.monotonicMs();
    this.#open = Map.groupBy(hooks, ({ container }) => container);
  }

  async toEnd(): Promise<void> {
    const { clock, pods } = this.#ports;
    this.#failFlawed();
    const limitMs = longestWait([...this.#open.values()].flat());
    const late = limitMs === undefined ? undefined : clock.deadline(limitMs);
    const either = late === undefined ? this.#signal : AbortSignal.any([this.#signal, late]);
    while (this.#open.size > 0) {
      const state = await pods
        .until(keyOf(this.#pod), (seen) => containerUp(seen, this.#wanted()), either)
        .catch((error: unknown): PodState => {
          const isLate = late?.aborted === true && !this.#signal.aborted;
          return {
            over: isLate ? `no container of them was up within ${durationText(limitMs ?? 0)}` : describeError(error),
          };
        });
      if ('over' in state) return this.#giveUp(state.over);
      await this.#runThoseOf(state.container);
    }
  }

  /** Fails the hooks that can never run; they need not wait for their container. */
  #failFlawed(): void {
    for (const [container, hooks] of [...this.#open]) {
      for (const hook of hooks.filter(({ flaw }) => flaw !== undefined)) {
        this.#take(hook);
        this.#failed(hook, 'failed to execute, err', new AppError('HOOK_FAILED', hook.flaw ?? ''));
        if (hook.onError !== 'Fail') continue;
        this.#giveUp(`hook ${hook.name} in container ${container} has failed`);
        return;
      }
    }
  }

  /** Containers with unfinished hooks, and whether each must be ready: one hook that requires it decides for its container. */
  #wanted(): Map<string, boolean> {
    return new Map([...this.#open].map(([name, hooks]) => [name, hooks.some(({ waitForReady }) => waitForReady)]));
  }

  async #runThoseOf(container: string): Promise<void> {
    const { clock } = this.#ports;
    for (const hook of [...(this.#open.get(container) ?? [])]) {
      if (this.#signal.aborted) return;
      this.#take(hook);
      const { waitTimeoutMs = Number.POSITIVE_INFINITY } = hook;
      const isExpired = clock.monotonicMs() - this.#beganMs > waitTimeoutMs;
      const problem = isExpired ? undefined : await this.#problemOf(hook);
      if (isExpired) this.#failed(hook, 'expired before executing');
      else if (problem === undefined) continue;
      else this.#failed(hook, 'failed to execute, err', problem);
      if (hook.onError === 'Fail') return this.#giveUp(`hook ${hook.name} in container ${container} has failed`);
    }
  }

  async #problemOf(hook: RestorePodHook): Promise<unknown> {
    const { namespace, name } = this.#pod.metadata;
    const { name: hookName, source: hookSource, phase: hookPhase, container: hookContainer } = hook;
    const fields = { resource: 'pods', namespace, name, hookName, hookSource, hookPhase, hookContainer };
    const log = this.#ports.log.child(fields);
    for (const remark of hook.remarks) log.warn({ remark }, 'a setting of the hook is not valid');
    try {
      const release = await this.#ports.place(this.#signal);
      try {
        await runHook(hook, this.#pod, { ...this.#ports, log }, this.#signal);
      } finally {
        release();
      }
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #take(hook: RestorePodHook): void {
    const rest = (this.#open.get(hook.container) ?? []).filter((each) => each !== hook);
    if (rest.length === 0) this.#open.delete(hook.container);
    else this.#open.set(hook.container, rest);
  }

  #failed({ name, container }: RestorePodHook, how: string, cause?: unknown): void {
    this.#add(`hook ${name} in container ${container} ${how}`, cause);
  }

  /** Fails all remaining hooks without running them. */
  #giveUp(why: string): void {
    for (const { name, container } of [...this.#open.values()].flat())
      this.#add(`hook ${name} in container ${container} in pod ${keyText(keyOf(this.#pod))} not executed: ${why}`);
    this.#open.clear();
  }

  #add(text: string, cause?: unknown): void {
    this.failures.push(
      new AppError('RESTORE_HOOK_FAILED', text, { retry: 'never', ...(cause === undefined ? {} : { cause }) }),
    );
  }
}

/** The longest wait of all hooks; undefined when one of them has no limit. */
function longestWait(hooks: readonly RestorePodHook[]): number | undefined {
  const waits = hooks.map(({ waitTimeoutMs }) => waitTimeoutMs);
  return waits.includes(undefined) ? undefined : Math.max(0, ...waits.map((wait) => wait ?? 0));
}
