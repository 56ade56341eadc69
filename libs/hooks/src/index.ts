export { backupHooksOf } from './backup/backup-hooks-of.ts';
export type { HookPhase, PodHook } from './backup/pod-hook.ts';
export type { HookPorts } from './exec/run-hook.ts';
export { type HookCounts, type PodHooksOutcome, runPodHooks } from './exec/run-pod-hooks.ts';
