import { annotations, type Restore } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { durationText } from '@lateen/kernel';
import { again } from '@lateen/kube-runtime';
import { concludeRun, failedVerdict, type StepEnd, takeOverRun, workedOnBy } from '@lateen/run';
import { restoreWrites } from '../api/write-restore.ts';
import type { RestoreContext } from '../restore-context.ts';
import { gatherRestore } from '../validation/gather-restore.ts';
import { endFailed, workOnRestore } from './work-on-restore.ts';

/** Work on one restore is begun so often: by the controller that claims it, and by those that come after one that is gone. */
const attemptsMax = 3;

/** In Velero's words (api.md section 3): there every restore ends so whose server was started anew. */
const abandonedReason = 'found a restore with status "InProgress" during the server starting, mark it as "Failed"';

/**
 * The work on a restore goes on that nobody works on any more: what is there already is found again. A location that is Unavailable is
 * waited for: work that has begun is not given up for what passes.
 */
export async function pickUpRestore(context: RestoreContext, restore: Restore, signal: AbortSignal): Promise<StepEnd> {
  const { ports, verdicts, locationWaits } = context;
  const known = verdicts.get(restore.metadata.uid ?? '');
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
  if ('errors' in gathered) {
    const { errors, unavailable } = gathered;
    const wait = unavailable === undefined ? undefined : locationWaits.at(restore);
    if (wait === undefined) return await fail(`${abandonedReason}; ${errors.join('; ')}`);
    const { leftMs, timeoutMs, isFirst } = wait;
    if (leftMs <= 0)
      return await fail(`${abandonedReason}; ${errors.join('; ')}; it was waited for ${durationText(timeoutMs)}`);
    if (isFirst) ports.onLocationAwaited(restore, unavailable ?? '');
    // A change of the location wakes it before.
    return again(leftMs, `BackupStorageLocation ${unavailable} is unavailable`);
  }
  locationWaits.end(restore);
  const patch = { annotations: { [annotations.attempts]: String(attempt) } };
  const running = await takeOverRun(restoreWrites, ports, restore, patch, signal);
  if (running === undefined) return 'next';
  ports.onContinued(running, attempt);
  return await workOnRestore(context, running, gathered.plan, signal, workedOnBy(restore));
}
