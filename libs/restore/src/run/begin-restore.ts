import { annotations, type Restore } from '@lateen/api-types';
import { again, settled } from '@lateen/kube-runtime';
import { claimRun, type StepEnd } from '@lateen/run';
import { moveRestore, restoreWrites, writeRestore } from '../api/write-restore.ts';
import type { RestoreContext } from '../restore-context.ts';
import type { RestorePorts } from '../restore-ports.ts';
import type { Turn } from '../turns/decide-turn.ts';
import { gatherRestore } from '../validation/gather-restore.ts';
import { workOnRestore } from './work-on-restore.ts';

/** How often a waiting restore is checked when no change triggers it. */
const waitingMs = 60_000;

/** Handles a New restore: it fails validation, waits for its turn, or is claimed and run. */
export async function beginRestore(context: RestoreContext, restore: Restore, signal: AbortSignal): Promise<StepEnd> {
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
  return running === undefined ? 'next' : await workOnRestore(context, running, gathered.plan, signal);
}

async function sayWaiting(ports: RestorePorts, restore: Restore, turn: Turn, signal: AbortSignal): Promise<void> {
  const names = turn.waitsFor.join(',');
  if (restore.metadata.annotations?.[annotations.waitsFor] === names) return;
  await writeRestore(ports, restore, { annotations: { [annotations.waitsFor]: names } }, signal);
  ports.onWaiting(restore, turn);
}
