import type { Backup, BackupPhase } from '@lateen/api-types';
import type { BackupStore } from '@lateen/backup-store';
import { moveBackup, onLatest, writeBackup } from '../api/write-backup.ts';
import type { BackupPorts } from '../backup-ports.ts';
import { isWaiting, phaseOf } from '../phases/phase-moves.ts';
import { countOf, type EndPatch, numberOrNone } from '../run/run-end.ts';
import { patchedStatus, storedBackup } from '../run/stored-backup.ts';
import type { OperationsDecision } from './decide-operations.ts';
import { withOperationErrors } from './operation-results.ts';

export interface OperationsNews {
  backup: Backup;
  decision: OperationsDecision;
  inStore<T>(use: (files: BackupStore) => Promise<T>): Promise<T>;
}

/**
 * Stores what has become of operations: files when one has failed or all have ended, then counters and phase. The errors of operations
 * are errors of the backup: in its results, and counted. Resolves with the Backup as it then is; one that is not waiting any more is
 * left as it is.
 */
export async function writeOperations(
  ports: BackupPorts,
  { backup, decision, inStore }: OperationsNews,
  signal: AbortSignal,
): Promise<Backup> {
  const { operations, failed, isOver } = decision;
  const name = backup.metadata.name ?? '';
  for (const { spec, status } of failed)
    ports.log.error(
      { backup: name, operation: spec.operationID, item: spec.resourceIdentifier, reason: status.error },
      'an operation of a backup failed',
    );
  const write = async (latest: Backup): Promise<Backup> => {
    if (!isWaiting(latest) || latest.spec.cancel === true || latest.metadata.deletionTimestamp !== undefined)
      return latest;
    const end = operationsEnd(latest, decision);
    if (failed.length > 0 || isOver)
      await inStore(async (files) => {
        const status = patchedStatus(latest.status, { ...end.status, phase: end.phase });
        if (failed.length > 0)
          await files.putResults(name, withOperationErrors(await files.getResults(name, { signal }), failed), {
            signal,
          });
        await files.putItemOperations(name, operations, { signal });
        await files.putBackup(storedBackup(latest, status), { signal });
      });
    if (end.phase !== phaseOf(latest))
      return await moveBackup(ports, latest, end.phase, { status: end.status }, signal);
    return end.isNews ? await writeBackup(ports, latest, { status: end.status }, signal) : latest;
  };
  return await onLatest(ports, backup, write, signal);
}

/** The counters, from the operations alone, so that a look that is repeated counts nothing twice. Pure. */
function operationsEnd(backup: Backup, { operations, isOver }: OperationsDecision) {
  const {
    backupItemOperationsCompleted: doneBefore = 0,
    backupItemOperationsFailed: failedBefore = 0,
    errors = 0,
  } = backup.status ?? {};
  const failed = countOf(operations, 'Failed');
  const done = countOf(operations, 'Completed');
  const total = errors + Math.max(failed - failedBefore, 0);
  const base = isOver ? 'Finalizing' : 'WaitingForPluginOperations';
  const phase: BackupPhase = total > 0 || phaseOf(backup).endsWith('PartiallyFailed') ? `${base}PartiallyFailed` : base;
  const status: EndPatch = {
    backupItemOperationsCompleted: numberOrNone(done),
    backupItemOperationsFailed: numberOrNone(failed),
    errors: numberOrNone(total),
  };
  return { phase, status, isNews: done !== doneBefore || failed !== failedBefore };
}
