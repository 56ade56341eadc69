import { annotations, type Restore } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { durationText } from '@lateen/kernel';
import { again } from '@lateen/kube-runtime';
import { concludeRun, failedVerdict, type StepEnd, takeOverRun, workedOnBy } from '@lateen/run';
import { restoreWrites } from '../api/write-restore.ts';
import type { RestoreContext } from '../restore-context.ts';
import { gatherRestore } from '../validation/gather-restore.ts';
import { endFailed, workOnRestore } from './work-on-restore.ts';

/** How often the work on one restore is started: by the controller that claims it, and by later ones after a crash. */
const attemptsMax = 3;

/** In Velero's words (api.md section 3): in Velero, every restore ends like this when its server restarts. */
const abandonedReason = 'found a restore with status "InProgress" during the server starting, mark it as "Failed"';

/**
 * Continues a restore whose controller has died; objects restored so far are recognized. It waits for a location that is Unavailable,
 * because work that has started is not given up for a temporary failure.
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
    // A change of the location starts the next attempt earlier.
    return again(leftMs, `BackupStorageLocation ${unavailable} is unavailable`);
  }
  locationWaits.end(restore);
  const patch = { annotations: { [annotations.attempts]: String(attempt) } };
  const running = await takeOverRun(restoreWrites, ports, restore, patch, signal);
  if (running === undefined) return 'next';
  ports.onContinued(running, attempt);
  return await workOnRestore(context, running, gathered.plan, signal, workedOnBy(restore));
}
