import type { Restore } from '@lateen/api-types';
import { apiTime } from '@lateen/kube';
import { type Reconciler, settled } from '@lateen/kube-runtime';
import { followOperations, type RunSteps, runReconciler } from '@lateen/run';
import { moveRestore, onLatest, releaseRestore, restoreKind } from './api/write-restore.ts';
import { endUnderWay } from './cancel/end-under-way.ts';
import { finalizeRestore } from './finalize/finalize-restore.ts';
import { decideRestore, type RestoreStep } from './phases/decide-restore.ts';
import type { RestoreContext } from './restore-context.ts';
import type { RestorePorts } from './restore-ports.ts';
import { beginRestore } from './run/begin-restore.ts';
import { pickUpRestore } from './run/pick-up-restore.ts';

/**
 * Moves a Restore from New to its end step by step; a run occupies its worker until it ends. Restores that a run of this process works on are
 * not passed here: one that is InProgress is continued.
 */
export function restoreReconciler(context: RestoreContext): Reconciler {
  const { kube, restores } = context.ports;
  return runReconciler({ kube, kind: restoreKind, get: restores.get, decide: decideRestore, context, steps });
}

const steps: RunSteps<Restore, Exclude<RestoreStep, 'leave'>, RestoreContext> = {
  begin: beginRestore,
  'pick up': pickUpRestore,
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
