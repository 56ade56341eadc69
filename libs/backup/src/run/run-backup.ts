import type { Backup } from '@lateen/api-types';
import { backupStore } from '@lateen/backup-store';
import { failedVerdict, type Verdict, watchRun } from '@lateen/run';
import { withStore } from '@lateen/storage-location';
import { backupKind } from '../api/write-backup.ts';
import type { BackupPorts } from '../backup-ports.ts';
import type { RunningBackup } from '../engine/contract.ts';
import type { BackupPlan } from '../validation/gather-plan.ts';
import { openRun } from './run.ts';
import { storeBackup } from './store-backup.ts';

/**
 * Runs a backup that this process has claimed. A failure of the whole backup is returned as a verdict too; then nothing is left of the
 * backup except its log.
 * @throws an AppError with a code of `RunInterruption` when it has to be undone or left to another process; the signal's reason when the
 *   controller stops
 */
export async function runBackup(
  ports: BackupPorts,
  backup: RunningBackup,
  plan: BackupPlan,
  signal: AbortSignal,
): Promise<Verdict<Backup>> {
  const watch = watchRun(backupKind, ports.backups, backup as Backup);
  const either = AbortSignal.any([signal, watch.signal]);
  const run = openRun(ports, backup, plan, either);
  try {
    return await withStore(ports, plan.location, { signal: either, customerKey: true }, (store, { prefix }) =>
      storeBackup(run, backupStore(store, prefix)),
    );
  } catch (error) {
    either.throwIfAborted();
    run.log.log.error({ err: error }, 'the backup failed');
    return failedVerdict(error, run.log.counts, ports.clock.now());
  } finally {
    run.log.end();
    watch.stop();
  }
}
