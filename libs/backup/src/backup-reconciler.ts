import { type Backup, backupType } from '@lateen/api-types';
import type { BackupOperation } from '@lateen/backup-store';
import { isAppError } from '@lateen/errors';
import { apiTime, isConflict, isNotFound, type ObjectKey, readObject } from '@lateen/kube';
import { type Outcome, type Reconciler, settled } from '@lateen/kube-runtime';
import {
  claimRun,
  followOperations,
  interruption,
  interruptionError,
  type OperationFollowers,
  type RunInterruption,
  type Verdict,
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

/** `next`: the Backup is to be looked at again, at once. */
type StepEnd = Outcome | 'next';

/** Verdicts that the API server did not take yet, by uid. Bounded by the backups that run. */
type Verdicts = Map<string, Verdict<Backup>>;

interface Context {
  ports: BackupPorts;
  operations: BackupOperationsKind;
  followers: OperationFollowers<Backup, BackupOperation>;
  verdicts: Verdicts;
}

/**
 * Takes a Backup from ReadyToStart to its end, one step after the other; a run holds its worker for as long as it takes. No run of
 * this process works on a Backup that is looked at here: whoever finds one InProgress has to pick it up.
 */
export function backupReconciler(
  ports: BackupPorts,
  operations: BackupOperationsKind,
  followers: OperationFollowers<Backup, BackupOperation>,
): Reconciler {
  const context: Context = { ports, operations, followers, verdicts: new Map() };
  return {
    reconcile: async (key, signal) => {
      const cached = ports.backups.get(key);
      if (cached === undefined || decideBackup(cached) === 'leave') return settled;
      try {
        return await stepByStep(context, key, signal);
      } catch (error) {
        // Somebody else has written to it or deleted it: the watch brings it back as it is.
        if (isConflict(error) || isNotFound(error)) return settled;
        throw error;
      }
    },
  };
}

async function stepByStep(context: Context, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  for (;;) {
    // What a cache shows may be older than the end of the run that was here a moment ago.
    const backup = await readObject(context.ports.kube, backupType, key, signal);
    if (backup === undefined) return settled;
    const end = await steps[decideBackup(backup)](context, backup, signal);
    if (end !== 'next') return end;
  }
}

type Step = (context: Context, backup: Backup, signal: AbortSignal) => Promise<StepEnd>;

const steps: Readonly<Record<BackupStep, Step>> = {
  leave: async () => settled,
  begin,
  'pick up': async (context, backup, signal) => {
    const { ports, verdicts } = context;
    const verdict =
      verdicts.get(uidOf(backup)) ?? (await pickUp(ports, await endOpenHooks(ports, backup, signal), signal));
    return await conclude(context, backup, verdict, signal);
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
  try {
    const verdict = await runBackup(ports, running as RunningBackup, gathered.plan, signal);
    context.verdicts.set(uidOf(running), verdict);
    return await conclude(context, running, verdict, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isAppError(error, 'RUN_TAKEN_OVER' satisfies RunInterruption)) {
      ports.log.warn({ backup: running.metadata.name }, 'another controller has taken the backup over');
      return settled;
    }
    if (isAppError(error) && interruptions.has(error.code)) return 'next';
    throw error;
  }
}

const interruptions: ReadonlySet<string> = new Set<RunInterruption>(['RUN_CANCELED', 'RUN_DELETED']);

/** Writes what a run has come to, unless the Backup is to be cancelled or deleted meanwhile. */
async function conclude(
  { ports, verdicts }: Context,
  running: Backup,
  { phase, patch }: Verdict<Backup>,
  signal: AbortSignal,
): Promise<StepEnd> {
  const write = async (latest: Backup) => {
    const why = interruption(backupKind, running, latest);
    if (why !== undefined) throw interruptionError(backupKind, why, running);
    return await moveBackup(ports, latest, phase, patch, signal);
  };
  try {
    await onLatest(ports, running, write, signal);
  } catch (error) {
    if (!isAppError(error) || !interruptions.has(error.code)) throw error;
  }
  verdicts.delete(uidOf(running));
  return 'next';
}
