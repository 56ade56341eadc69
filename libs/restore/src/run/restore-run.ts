import { keyOf, keyText } from '@lateen/kube';
import { type RunLog, runLog } from '@lateen/run';
import type { RunningRestore } from '../engine/contract.ts';
import type { RestorePorts } from '../restore-ports.ts';
import type { RestorePlan } from '../validation/gather-restore.ts';

/** One run of one restore. */
export interface RestoreRun {
  ports: RestorePorts;
  restore: RunningRestore;
  plan: RestorePlan;
  log: RunLog;
  /** Aborts when the controller stops, and when the run has to end. */
  signal: AbortSignal;
  /** Aborts only when the controller stops; for files that are still stored after a cancellation. */
  controllerSignal: AbortSignal;
}

export const openRestoreRun = (run: Omit<RestoreRun, 'log'>): RestoreRun => ({
  ...run,
  log: runLog(run.ports, { restore: keyText(keyOf(run.restore)) }),
});
