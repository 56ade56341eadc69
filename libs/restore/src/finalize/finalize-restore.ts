import type { Restore, RestorePhase } from '@lateen/api-types';
import { apiTime } from '@lateen/kube';
import { type Outcome, settled } from '@lateen/kube-runtime';
import { moveRestore, onLatest, type RestoreStatusPatch } from '../api/write-restore.ts';
import { restoreLocation } from '../operations/restore-operations.ts';
import { isFinalizing, phaseOf } from '../phases/phase-moves.ts';
import type { RestorePorts } from '../restore-ports.ts';

/** The last step of a restore. Each part may be repeated: whoever comes after a controller that stopped here does all of it again. */
export async function finalizeRestore(
  ports: RestorePorts,
  restore: Restore,
  signal: AbortSignal,
): Promise<Outcome | 'next'> {
  const location = await restoreLocation(ports, restore, signal);
  if ('gone' in location) return await end(ports, restore, { failureReason: location.gone }, signal);
  return await end(ports, restore, {}, signal);
}

/** A restore that is to be cancelled or deleted is left to that. */
async function end(
  ports: RestorePorts,
  restore: Restore,
  patch: RestoreStatusPatch,
  signal: AbortSignal,
): Promise<Outcome | 'next'> {
  const completionTimestamp = apiTime(ports.clock.now());
  const write = async (latest: Restore): Promise<Restore> => {
    if (!isFinalizing(latest) || latest.spec.cancel === true || latest.metadata.deletionTimestamp !== undefined)
      return latest;
    const isPartial = phaseOf(latest) === 'FinalizingPartiallyFailed' || patch.failureReason !== undefined;
    const phase: RestorePhase = isPartial ? 'PartiallyFailed' : 'Completed';
    return await moveRestore(ports, latest, phase, { status: { ...patch, completionTimestamp } }, signal);
  };
  const after = await onLatest(ports, restore, write, signal);
  return isFinalizing(after) ? 'next' : settled;
}
