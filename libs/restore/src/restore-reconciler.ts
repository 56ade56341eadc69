import { annotations, type Restore } from '@lateen/api-types';
import type { RestoreOperation } from '@lateen/backup-store';
import { AppError } from '@lateen/errors';
import { apiTime } from '@lateen/kube';
import { again, type Reconciler, settled } from '@lateen/kube-runtime';
import {
  claimRun,
  concludeRun,
  failedVerdict,
  followOperations,
  type OperationFollowers,
  type RunSteps,
  runReconciler,
  type StepEnd,
  takeOverRun,
  type Verdicts,
  workedOnBy,
  workOnRun,
} from '@lateen/run';
import {
  moveRestore,
  onLatest,
  releaseRestore,
  restoreKind,
  restoreWrites,
  writeRestore,
} from './api/write-restore.ts';
import { endUnderWay } from './cancel/end-under-way.ts';
import type { RunningRestore } from './engine/contract.ts';
import { finalizeRestore } from './finalize/finalize-restore.ts';
import type { RestoreOperationsKind } from './operations/restore-operations.ts';
import { decideRestore, type RestoreStep } from './phases/decide-restore.ts';
import type { RestorePorts } from './restore-ports.ts';
import { runRestore } from './run/run-restore.ts';
import type { Turn } from './turns/decide-turn.ts';
import type { Turns } from './turns/turns.ts';
import { gatherRestore, type RestorePlan } from './validation/gather-restore.ts';

export interface RestoreContext {
  ports: RestorePorts;
  operations: RestoreOperationsKind;
  followers: OperationFollowers<Restore, RestoreOperation>;
  turns: Turns;
  verdicts: Verdicts<Restore>;
}

/** Work on one restore is begun so often: by the controller that claims it, and by those that come after one that is gone. */
export const attemptsMax = 3;

/** One that waits is looked at again after so long, also when nothing wakes it. */
const waitingMs = 60_000;

/**
 * Takes a Restore from New to its end, one step after the other; a run holds its worker for as long as it takes. No run of this process
 * works on a Restore that is looked at here: whoever finds one InProgress goes on with it.
 */
export function restoreReconciler(context: RestoreContext): Reconciler {
  const { kube, restores } = context.ports;
  return runReconciler({ kube, kind: restoreKind, get: restores.get, decide: decideRestore, context, steps });
}

const steps: RunSteps<Restore, Exclude<RestoreStep, 'leave'>, RestoreContext> = {
  begin,
  'pick up': pickUp,
  follow: ({ ports, operations, followers }, restore, signal) =>
    followOperations(operations, ports, followers, restore, signal),
  finalize: async ({ ports, followers }, restore, signal) => {
    followers.end(uidOf(restore));
    return await finalizeRestore(ports, restore, signal);
  },
  'cancel at once': async ({ ports }, restore, signal) => {
    await moveRestore(ports, restore, 'Canceled', { status: ended(ports) }, signal);
    return settled;
  },
  cancel: async ({ ports, followers }, restore, signal) => {
    followers.end(uidOf(restore));
    await ports.hooks.stop(restore);
    await moveRestore(ports, restore, 'Canceling', {}, signal);
    return 'next';
  },
  end: async ({ ports, operations }, restore, signal) => {
    await endUnderWay(ports, operations, restore, signal);
    const end = (now: Restore) => moveRestore(ports, now, 'Canceled', { status: ended(ports) }, signal);
    await onLatest(ports, restore, end, signal);
    return settled;
  },
  'end and release': async ({ ports, operations, followers }, restore, signal) => {
    followers.end(uidOf(restore));
    await ports.hooks.stop(restore);
    await endUnderWay(ports, operations, restore, signal);
    await releaseRestore(ports, restore);
    return settled;
  },
  release: async ({ ports }, restore) => {
    await releaseRestore(ports, restore);
    return settled;
  },
};

const ended = ({ clock }: RestorePorts) => ({ completionTimestamp: apiTime(clock.now()) });
const uidOf = ({ metadata }: Restore): string => metadata.uid ?? '';

async function begin(context: RestoreContext, restore: Restore, signal: AbortSignal): Promise<StepEnd> {
  const { ports, turns } = context;
  const gathered = await gatherRestore(ports, restore, signal);
  if ('errors' in gathered) {
    const status = { validationErrors: gathered.errors };
    await moveRestore(ports, restore, 'FailedValidation', { ...gathered.patch, status }, signal);
    return settled;
  }
  const turn = turns.take(restore);
  if (turn !== undefined) {
    await sayWaiting(ports, restore, turn, signal);
    return again(waitingMs, 'it waits for other restores');
  }
  let running: Restore | undefined;
  try {
    running = await claimRun(restoreWrites, ports, restore, gathered.patch, signal);
  } finally {
    turns.begun(restore, running);
  }
  return running === undefined ? 'next' : await work(context, running, gathered.plan, signal);
}

async function sayWaiting(ports: RestorePorts, restore: Restore, turn: Turn, signal: AbortSignal): Promise<void> {
  const names = turn.waitsFor.join(',');
  if (restore.metadata.annotations?.[annotations.waitsFor] === names) return;
  await writeRestore(ports, restore, { annotations: { [annotations.waitsFor]: names } }, signal);
  ports.onWaiting(restore, turn);
}

const work = (
  context: RestoreContext,
  running: Restore,
  plan: RestorePlan,
  signal: AbortSignal,
  before?: string,
): Promise<StepEnd> =>
  workOnRun(
    restoreWrites,
    context.ports,
    context.verdicts,
    running,
    async () => {
      const verdict = await runRestore(context.ports, running as RunningRestore, plan, signal, before);
      if (verdict.phase === 'Failed') await endFailed(context, running, signal);
      return verdict;
    },
    signal,
  );

/** Nobody follows what a restore that failed has under way. */
async function endFailed({ ports, operations }: RestoreContext, restore: Restore, signal: AbortSignal): Promise<void> {
  try {
    await endUnderWay(ports, operations, restore, signal);
  } catch (error) {
    signal.throwIfAborted();
    ports.log.warn({ restore: restore.metadata.name, err: error }, 'something of a restore that failed is left');
  }
}

/** In the reference's words (api.md section 3): there every restore ends so whose server was started anew. */
const abandonedReason = 'found a restore with status "InProgress" during the server starting, mark it as "Failed"';

/** The work on a restore goes on that nobody works on any more: what is there already is found again. */
async function pickUp(context: RestoreContext, restore: Restore, signal: AbortSignal): Promise<StepEnd> {
  const { ports, verdicts } = context;
  const known = verdicts.get(uidOf(restore));
  if (known !== undefined) return await concludeRun(restoreWrites, ports, verdicts, restore, known, signal);
  const attempt = Number(restore.metadata.annotations?.[annotations.attempts] ?? 1) + 1;
  const fail = async (text: string) => {
    await endFailed(context, restore, signal);
    const verdict = failedVerdict<Restore>(
      new AppError('RESTORE_ABANDONED', text),
      { warnings: 0, errors: 0 },
      ports.clock.now(),
    );
    return await concludeRun(restoreWrites, ports, verdicts, restore, verdict, signal);
  };
  if (!(attempt <= attemptsMax)) return await fail(`${abandonedReason}; its work was begun ${attemptsMax} times`);
  const gathered = await gatherRestore(ports, restore, signal);
  if ('errors' in gathered) return await fail(`${abandonedReason}; ${gathered.errors.join('; ')}`);
  const patch = { annotations: { [annotations.attempts]: String(attempt) } };
  const running = await takeOverRun(restoreWrites, ports, restore, patch, signal);
  if (running === undefined) return 'next';
  ports.onContinued(running, attempt);
  return await work(context, running, gathered.plan, signal, workedOnBy(restore));
}
