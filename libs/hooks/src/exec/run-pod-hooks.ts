import type { Pod } from '@lateen/api-types';
import { AppError, isAppError } from '@lateen/errors';
import type { PodHook } from '../hook/pod-hook.ts';
import { type HookPorts, runHook } from './run-hook.ts';

export interface HookCounts {
  /** Counts also the hooks that did not run because an earlier one failed. */
  attempted: number;
  failed: number;
}

export interface PodHooksOutcome extends HookCounts {
  /** Set when the pod must not be backed up: a hook with on-error Fail has failed, or the signal aborted. The log has it already. */
  error?: AppError;
}

/**
 * Runs the hooks of one pod and one phase, one after the other; each failure is an error line of the log.
 *
 * Never rejects. On abort a running pre hook is cut off and the others do not run. Post hooks run in any case, each within its own timeout:
 * call it for them also when the backup of the pod has failed, when a pre hook has failed, and when the signal has aborted.
 */
export async function runPodHooks(
  hooks: readonly PodHook[],
  pod: Pod,
  ports: HookPorts,
  signal: AbortSignal,
): Promise<PodHooksOutcome> {
  const { namespace = '', name } = pod.metadata;
  const podLog = ports.log.child({ resource: 'pods', namespace, name });
  let failed = 0;
  let error: AppError | undefined;
  for (const hook of hooks) {
    const isAfter = hook.phase === 'post';
    if (error !== undefined && !isAfter) continue;
    const { name: hookName, source: hookSource, phase: hookPhase, container: hookContainer } = hook;
    const log = podLog.child({ hookName, hookSource, hookPhase, hookContainer });
    for (const remark of hook.remarks) log.warn({ remark }, 'a setting of the hook is not valid');
    if (hasEnded(pod)) {
      log.info({ podPhase: pod.status?.phase }, 'hook is not run because the pod has ended');
      continue;
    }
    const problem = await problemOf(hook, pod, { ...ports, log }, isAfter ? AbortSignal.any([]) : signal);
    if (problem === undefined) continue;
    if (problem.code === 'HOOK_POD_GONE') {
      log.warn({}, 'pod was deleted before its hook ran');
      continue;
    }
    failed++;
    if (problem.code !== 'HOOK_ABORTED') log.error({ err: problem }, 'Error executing hook');
    if (hook.onError === 'Fail' || problem.code === 'HOOK_ABORTED') error ??= problem;
  }
  return { attempted: hooks.length, failed, ...(error === undefined ? {} : { error }) };
}

const hasEnded = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

async function problemOf(
  hook: PodHook,
  pod: Pod,
  ports: HookPorts,
  signal: AbortSignal,
): Promise<AppError | undefined> {
  try {
    signal.throwIfAborted();
    await runHook(hook, pod, ports, signal);
    return undefined;
  } catch (error) {
    if (isAppError(error, 'HOOK_FAILED') || isAppError(error, 'HOOK_POD_GONE')) return error;
    return new AppError('HOOK_ABORTED', 'the hook was cut off because the backup ends', { cause: error });
  }
}
