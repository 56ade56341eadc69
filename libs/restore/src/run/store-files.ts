import type { BackupStore, RestoreOperation, RestoreStore } from '@lateen/backup-store';
import { settleAll } from '@lateen/kernel';
import type { RestoreItemsOutcome } from '../engine/contract.ts';
import { planLines } from '../plan/plan-lines.ts';
import { restoredResources } from './resource-list.ts';
import type { RestoreRun } from './restore-run.ts';

/**
 * Stores the log of a run while it grows. Resolves when it is stored or cannot be stored: no restore fails because of its log. A
 * cancellation does not end it, because the log of the objects restored until then is worth reading.
 */
export async function storeLog({ ports, restore, log, controllerSignal: signal }: RestoreRun, files: RestoreStore) {
  try {
    await files.putLog(nameOf(restore), log.pieces, { signal });
  } catch (error) {
    if (!signal.aborted)
      ports.log.warn({ restore: nameOf(restore), err: error }, 'the log of a restore cannot be stored');
  }
}

/**
 * Stores the results of a run, in Velero's order: the files that users read first come first. Restored objects exist whatever happens to the
 * files. A file that cannot be stored is an error of the restore, unless the location is read-only, whose credentials may be read-only too.
 */
export async function storeFiles(
  { ports, restore, plan, log, signal }: RestoreRun,
  files: RestoreStore,
  outcome: RestoreItemsOutcome,
): Promise<{ errors: number }> {
  const name = nameOf(restore);
  let errors = 0;
  const attempt = async (what: string, write: () => Promise<void>) => {
    try {
      await write();
    } catch (error) {
      signal.throwIfAborted();
      if (plan.location.spec.accessMode !== 'ReadOnly') errors += 1;
      ports.log.error({ restore: name, err: error, what }, 'a file of a restore cannot be stored');
    }
  };
  await attempt('its results', () => files.putResults(name, log.results(), { signal }));
  await attempt('its resource list', () => files.putResourceList(name, restoredResources(outcome.items), { signal }));
  await settleAll([
    attempt('its operations', () => storeOperations(ports, name, files, outcome.operations, signal)),
    attempt('its volume info', () => files.putVolumeInfo(name, outcome.volumes, { signal })),
    attempt('its item outcomes', () => files.putItemOutcomes(name, outcome.items, { signal })),
  ]);
  return { errors };
}

/** Stores the operations; when this fails, they are followed from the memory of this process. */
async function storeOperations(
  { kept }: RestoreRun['ports'],
  restore: string,
  files: RestoreStore,
  operations: readonly RestoreOperation[],
  signal: AbortSignal,
): Promise<void> {
  try {
    await files.putItemOperations(restore, operations, { signal });
    kept.forget(restore);
  } catch (error) {
    if (operations.length > 0) kept.keep(restore, operations);
    throw error;
  }
}

/** Stores the results of a dry run: the plan and the warnings. */
export async function storePlan(
  { restore, plan, log, signal }: RestoreRun,
  { files, backups }: { files: RestoreStore; backups: BackupStore },
  outcome: RestoreItemsOutcome,
) {
  const name = nameOf(restore);
  const volumes = (await backups.getVolumeInfo(nameOf(plan.backup), { signal })) ?? [];
  await files.putResults(name, log.results(), { signal });
  await files.putPlan(name, planLines(outcome, volumes), { signal });
}

const nameOf = ({ metadata }: { metadata: { name?: string } }): string => metadata.name ?? '';
