import type { Backup } from '@lateen/api-types';
import type { BackupOperation } from '@lateen/backup-store';
import { apiTime } from '@lateen/kube';
import { type Reconciler, settled } from '@lateen/kube-runtime';
import {
  claimRun,
  concludeRun,
  followOperations,
  type OperationFollowers,
  type RunSteps,
  runReconciler,
  type StepEnd,
  type Verdicts,
  workOnRun,
} from '@lateen/run';
import { backupKind, backupWrites, moveBackup, onLatest, releaseBackup } from './api/write-backup.ts';
import type { BackupPorts } from './backup-ports.ts';
import { takeAllBack } from './cancel/take-all-back.ts';
import type { RunningBackup } from './engine/contract.ts';
import { finalizeBackup } from './finalize/finalize-backup.ts';
import { endOpenHooks } from './open-hooks/end-open-hooks.ts';
import type { BackupOperationsKind } from './operations/backup-operations.ts';
import { type BackupStep, decideBackup } from './phases/decide-backup.ts';
import { pickUp } from './run/pick-up.ts';
import { runBackup } from './run/run-backup.ts';
import { gatherPlan } from './validation/gather-plan.ts';

interface Context {
  ports: BackupPorts;
  operations: BackupOperationsKind;
  followers: OperationFollowers<Backup, BackupOperation>;
  verdicts: Verdicts<Backup>;
}

/**
 * Moves a Backup from ReadyToStart to its end step by step; a run occupies its worker until it ends. Backups that a run of this process works
 * on are not passed here: one that is InProgress has to be picked up.
 */
export function backupReconciler(
  ports: BackupPorts,
  operations: BackupOperationsKind,
  followers: OperationFollowers<Backup, BackupOperation>,
): Reconciler {
  const context: Context = { ports, operations, followers, verdicts: new Map() };
  return runReconciler({
    kube: ports.kube,
    kind: backupKind,
    get: ports.backups.get,
    decide: decideBackup,
    context,
    steps,
  });
}

const steps: RunSteps<Backup, Exclude<BackupStep, 'leave'>, Context> = {
  begin,
  'pick up': async (context, backup, signal) => {
    const { ports, verdicts } = context;
    const verdict =
      verdicts.get(uidOf(backup)) ?? (await pickUp(ports, await endOpenHooks(ports, backup, signal), signal));
    return await concludeRun(backupWrites, ports, verdicts, backup, verdict, signal);
  },
  follow: ({ ports, operations, followers }, backup, signal) =>
    followOperations(operations, ports, followers, backup, signal),
  finalize: async ({ ports, followers }, backup, signal) => {
    followers.end(uidOf(backup));
    return await finalizeBackup(ports, backup, signal);
  },
  'cancel at once': async ({ ports }, backup, signal) => {
    await moveBackup(ports, backup, 'Canceled', { status: { ...ended(ports), queuePosition: null } }, signal);
    return settled;
  },
  cancel: async ({ ports, followers }, backup, signal) => {
    followers.end(uidOf(backup));
    await moveBackup(ports, backup, 'Canceling', {}, signal);
    return 'next';
  },
  'take back': async ({ ports }, backup, signal) => {
    await takeAllBack(ports, await endOpenHooks(ports, backup, signal), signal);
    await onLatest(
      ports,
      backup,
      (now) => moveBackup(ports, now, 'Canceled', { status: ended(ports) }, signal),
      signal,
    );
    return settled;
  },
  'take back and release': async ({ ports, followers }, backup, signal) => {
    followers.end(uidOf(backup));
    const latest = await endOpenHooks(ports, backup, signal);
    await takeAllBack(ports, latest, signal);
    await releaseBackup(ports, latest);
    return settled;
  },
  release: async ({ ports }, backup) => {
    await releaseBackup(ports, backup);
    return settled;
  },
};

const ended = ({ clock }: BackupPorts) => ({ completionTimestamp: apiTime(clock.now()) });
const uidOf = ({ metadata }: Backup): string => metadata.uid ?? '';

async function begin(context: Context, backup: Backup, signal: AbortSignal): Promise<StepEnd> {
  const { ports } = context;
  const gathered = await gatherPlan(ports, backup, signal);
  if ('errors' in gathered) {
    const status = { ...gathered.patch.status, validationErrors: gathered.errors };
    await moveBackup(ports, backup, 'FailedValidation', { ...gathered.patch, status }, signal);
    return settled;
  }
  const running = await claimRun(backupWrites, ports, backup, gathered.patch, signal);
  if (running === undefined) return 'next';
  const work = () => runBackup(ports, running as RunningBackup, gathered.plan, signal);
  return await workOnRun(backupWrites, ports, context.verdicts, running, work, signal);
}
