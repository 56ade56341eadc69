import type { Restore } from '@lateen/api-types';
import { type BackupStore, backupStore, type RestoreStore, restoreStore } from '@lateen/backup-store';
import { apiTime } from '@lateen/kube';
import { failedVerdict, numberOrNone, type Verdict, watchRun } from '@lateen/run';
import { withStore } from '@lateen/storage-location';
import { restoreKind } from '../api/write-restore.ts';
import type { RestoreItemsOutcome, RunningRestore } from '../engine/contract.ts';
import type { RestorePorts } from '../restore-ports.ts';
import type { RestorePlan } from '../validation/gather-restore.ts';
import { restoreObjects } from './restore-objects.ts';
import { openRestoreRun, type RestoreRun } from './restore-run.ts';
import { restoreEnd } from './run-end.ts';
import { storeFiles, storeLog, storePlan } from './store-files.ts';

/**
 * Runs a restore that this process has claimed. A failure of the whole restore is returned as a verdict too.
 * @param before the process that worked on it before, if the restore was taken over
 * @throws an AppError with a code of `RunInterruption` when it is canceled or left to another; the signal's reason when the controller stops
 */
export async function runRestore(
  ports: RestorePorts,
  restore: RunningRestore,
  plan: RestorePlan,
  signal: AbortSignal,
  before?: string,
): Promise<Verdict<Restore>> {
  const watch = watchRun(restoreKind, ports.restores, restore as Restore, before);
  const either = AbortSignal.any([signal, watch.signal]);
  const run = openRestoreRun({ ports, restore, plan, signal: either, controllerSignal: signal });
  try {
    const store = { signal, customerKey: true };
    return await withStore(ports, plan.location, store, async (objects, { prefix }) => {
      const files = restoreStore(objects, prefix);
      const backups = backupStore(objects, prefix);
      const logging = storeLog(run, files);
      try {
        const outcome = await restoreObjects(run, backups);
        return await conclude(run, { files, backups }, outcome, logging);
      } catch (error) {
        return await failed(run, files, error, logging);
      }
    });
  } catch (error) {
    await ports.hooks.stop(restore);
    either.throwIfAborted();
    run.log.log.error({ err: error }, 'the restore failed');
    return failedVerdict(error, run.log.counts, ports.clock.now());
  } finally {
    run.log.end();
    watch.stop();
  }
}

async function conclude(
  run: RestoreRun,
  stores: { files: RestoreStore; backups: BackupStore },
  outcome: RestoreItemsOutcome,
  logging: Promise<void>,
): Promise<Verdict<Restore>> {
  const { log } = run;
  const { itemsRestored: items } = outcome;
  const isPlan = run.restore.spec.dryRun === true;
  log.log.info({ items }, isPlan ? 'the plan of the restore is made' : 'all objects of the backup are restored');
  log.end();
  await logging;
  if (isPlan) {
    await storePlan(run, stores, outcome);
    return planned(run, outcome);
  }
  const stored = await storeFiles(run, stores.files, outcome);
  const { warnings, errors } = log.counts;
  return restoreEnd({ outcome, warnings, errors: errors + stored.errors });
}

/** A plan that was written counts as completed, whatever it contains. */
function planned({ log, ports }: RestoreRun, { totalItems, itemsRestored }: RestoreItemsOutcome): Verdict<Restore> {
  return {
    phase: 'Completed',
    patch: {
      status: {
        warnings: numberOrNone(log.counts.warnings),
        errors: numberOrNone(log.counts.errors),
        progress: { totalItems, itemsRestored },
        completionTimestamp: apiTime(ports.clock.now()),
      },
    },
  };
}

/** Logs the reason, also of a cancellation. */
async function failed(
  run: RestoreRun,
  files: RestoreStore,
  error: unknown,
  logging: Promise<void>,
): Promise<Verdict<Restore>> {
  const { log, ports, signal, controllerSignal, restore } = run;
  await ports.hooks.stop(restore);
  controllerSignal.throwIfAborted();
  if (signal.aborted)
    log.log.info({ reason: String(signal.reason?.message) }, 'the restore ends before its work is done');
  else log.log.error({ err: error }, 'the restore failed');
  log.end();
  await logging;
  await files
    .putResults(restore.metadata.name ?? '', log.results(), { signal: controllerSignal })
    .catch((cause: unknown) => ports.log.warn({ err: cause }, 'the results of a restore cannot be stored'));
  signal.throwIfAborted();
  return failedVerdict(error, log.counts, ports.clock.now());
}
