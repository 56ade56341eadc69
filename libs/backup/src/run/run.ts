import { keyOf, keyText } from '@lateen/kube';
import { type RunLog, runLog } from '@lateen/run';
import type { BackupPorts } from '../backup-ports.ts';
import type { RunningBackup } from '../engine/contract.ts';
import type { BackupPlan } from '../validation/gather-plan.ts';

/** One run of one backup. */
export interface Run {
  ports: BackupPorts;
  backup: RunningBackup;
  plan: BackupPlan;
  log: RunLog;
  /** Aborts when the controller stops, and when the run has to end. */
  signal: AbortSignal;
}

export function openRun(ports: BackupPorts, backup: RunningBackup, plan: BackupPlan, signal: AbortSignal): Run {
  const log = runLog(ports, { backup: keyText(keyOf(backup)) });
  return { ports, backup, plan, log, signal };
}
