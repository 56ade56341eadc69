export { backupHooksOf } from './backup/backup-hooks-of.ts';
export type { HookPorts } from './exec/run-hook.ts';
export { type HookCounts, type PodHooksOutcome, runPodHooks } from './exec/run-pod-hooks.ts';
export type { HookPhase, PodHook } from './hook/pod-hook.ts';
export { initHooksOf, isRestoreWait, restoreWaitName, withInitHooks } from './restore/init-hooks-of.ts';
export {
  type RestoreHookFailure,
  type RestoreHookRuns,
  type RestoreHookRunsPorts,
  type RestoreHooksOutcome,
  restoreHookRuns,
} from './restore/restore-hook-runs.ts';
