import type { BackupStorageLocation, Restore, RestorePhase } from '@lateen/api-types';
import type { RestoreStore } from '@lateen/backup-store';
import { settleAll } from '@lateen/kernel';
import { apiTime } from '@lateen/kube';
import { type Outcome, settled } from '@lateen/kube-runtime';
import { withProblems } from '@lateen/run';
import { moveRestore, onLatest, type RestoreStatusPatch } from '../api/write-restore.ts';
import { finishHooks } from '../hooks/finish-hooks.ts';
import { inRestoreStore, restoreLocation } from '../operations/restore-operations.ts';
import { isFinalizing, phaseOf } from '../phases/phase-moves.ts';
import type { RestorePorts } from '../restore-ports.ts';
import { engineLimits } from '../run/restore-objects.ts';
import { finishOwners } from './finish-owners.ts';
import { finishVolumes } from './finish-volumes.ts';
import { untilLeftToOthers } from './until-left-to-others.ts';

/** The last step of a restore. Each part may be repeated: after a restart of the controller, all parts run again. */
export async function finalizeRestore(
  ports: RestorePorts,
  restore: Restore,
  signal: AbortSignal,
): Promise<Outcome | 'next'> {
  const location = await restoreLocation(ports, restore, signal);
  if ('gone' in location) return await end(ports, restore, { failureReason: location.gone }, signal);
  const left = untilLeftToOthers(ports.restores, restore);
  try {
    const patch = await finish(ports, restore, location.usable, AbortSignal.any([signal, left.signal]));
    return await end(ports, restore, patch, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (left.signal.aborted) return 'next';
    throw error;
  } finally {
    left.stop();
  }
}

/** @returns the final status; problems of the finalization count as errors of the restore, and are in its results */
async function finish(
  ports: RestorePorts,
  restore: Restore,
  location: BackupStorageLocation,
  signal: AbortSignal,
): Promise<RestoreStatusPatch> {
  const { hooks, redact, log, settings } = ports;
  const { name = '' } = restore.metadata;
  const { resourceTimeoutMs: timeoutMs } = engineLimits(settings);
  // These run at the same time, because a hook may wait for a pod that waits for its volume.
  const [finished, ofVolumes, ofOwners] = await settleAll([
    finishHooks(hooks, restore, timeoutMs, signal),
    finishVolumes(ports, restore, { location, timeoutMs, signal }),
    finishOwners(ports, restore, signal),
  ]);
  const { status: hookStatus } = finished;
  const problems = [...ofVolumes, ...ofOwners, ...finished.problems];
  for (const { fields, message } of problems) log.error({ restore: name, ...fields }, message);
  if (problems.length > 0) {
    const add = async (files: RestoreStore) =>
      files.putResults(name, withProblems(await files.getResults(name, { signal }), problems, redact), { signal });
    await inRestoreStore(ports, location, add, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      log.error({ restore: name, err: error }, 'the last errors cannot be added to the results of a restore');
    });
  }
  return {
    ...(problems.length === 0 ? {} : { errors: (restore.status?.errors ?? 0) + problems.length }),
    ...(hookStatus === undefined ? {} : { hookStatus }),
  };
}

/** Writes the end, unless a cancellation or deletion is requested, which then handles the restore. */
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
    const isWorse = patch.failureReason !== undefined || patch.errors !== undefined;
    const isPartial = phaseOf(latest) === 'FinalizingPartiallyFailed' || isWorse;
    const phase: RestorePhase = isPartial ? 'PartiallyFailed' : 'Completed';
    return await moveRestore(ports, latest, phase, { status: { ...patch, completionTimestamp } }, signal);
  };
  const after = await onLatest(ports, restore, write, signal);
  if (isFinalizing(after)) return 'next';
  return settled;
}
