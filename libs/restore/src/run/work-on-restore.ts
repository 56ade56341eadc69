import type { Restore } from '@lateen/api-types';
import { type StepEnd, workOnRun } from '@lateen/run';
import { restoreWrites } from '../api/write-restore.ts';
import { endUnderWay } from '../cancel/end-under-way.ts';
import type { RunningRestore } from '../engine/contract.ts';
import type { RestoreContext } from '../restore-context.ts';
import type { RestorePlan } from '../validation/gather-restore.ts';
import { runRestore } from './run-restore.ts';

/** Runs a restore that this process has claimed, and writes its result. @param before as of `runRestore` */
export const workOnRestore = (
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

/** Ends the work of a failed restore, because nothing follows it any more. */
export async function endFailed(
  { ports, operations }: RestoreContext,
  restore: Restore,
  signal: AbortSignal,
): Promise<void> {
  try {
    await endUnderWay(ports, operations, restore, signal);
  } catch (error) {
    signal.throwIfAborted();
    ports.log.warn(
      { restore: restore.metadata.name, err: error },
      'a failed restore could not be cleaned up completely',
    );
  }
}
