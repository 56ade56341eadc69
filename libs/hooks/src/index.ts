export { backupHooksOf } from './backup/backup-hooks-of.ts';
export type { HookPhase, PodHook } from './backup/pod-hook.ts';
export { type HookCounts, type HookPorts, type PodHooksOutcome, runPodHooks } from './exec/run-pod-hooks.ts';
