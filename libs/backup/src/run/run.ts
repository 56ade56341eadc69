import { ResultLines, type Results } from '@lateen/backup-store';
import { keyOf, keyText } from '@lateen/kube';
import type { BackupPorts } from '../backup-ports.ts';
import type { RunningBackup } from '../engine/contract.ts';
import { type BackupLog, backupLog } from '../log/backup-log.ts';
import type { BackupPlan } from '../validation/gather-plan.ts';

/** One run of one backup. */
export interface Run {
  ports: BackupPorts;
  backup: RunningBackup;
  plan: BackupPlan;
  log: BackupLog;
  /** What the log has said so far at warn and error. */
  results(): Results;
  /** Aborts when the controller stops, and when the run is to end. */
  signal: AbortSignal;
}

export function openRun(ports: BackupPorts, backup: RunningBackup, plan: BackupPlan, signal: AbortSignal): Run {
  const lines = new ResultLines();
  const log = backupLog(ports, keyText(keyOf(backup)), (kind, line) => lines.add(kind, line));
  return { ports, backup, plan, log, results: () => lines.results(), signal };
}
