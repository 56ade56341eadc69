import type { HookStatus, Restore } from '@lateen/api-types';
import type { RunProblem } from '@lateen/run';
import type { ExecHooks } from './exec-hooks.ts';

export interface FinishedHooks {
  /** Absent when no pod had hooks. */
  status?: HookStatus;
  problems: RunProblem[];
}

/** Waits for the exec hooks of a restore, and reports where and why each failed one failed. @throws the signal's reason */
export async function finishHooks(
  hooks: ExecHooks,
  restore: Restore,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<FinishedHooks> {
  const { attempted, failed, failures } = await hooks.finish(restore, timeoutMs, signal);
  const problems = failures.map(({ pod, error }) => ({
    fields: { resource: 'pods', namespace: pod.namespace, name: pod.name, err: error },
    message: 'Error executing hook',
  }));
  return {
    problems,
    ...(attempted === 0 ? {} : { status: { hooksAttempted: attempted, hooksFailed: failed } }),
  };
}
