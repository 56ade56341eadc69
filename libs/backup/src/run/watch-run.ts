import type { Backup } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { workedOnBy } from '../api/write-backup.ts';
import type { BackupPorts } from '../backup-ports.ts';

/** Why a run is to end before its work is done. */
export type RunInterruption = 'BACKUP_CANCELED' | 'BACKUP_DELETED' | 'BACKUP_TAKEN_OVER';

export interface RunWatch {
  /** Aborts with an AppError of one of the codes of {@link RunInterruption}. */
  readonly signal: AbortSignal;
  stop(): void;
}

/** Follows the Backup that a run works on, by the informer: a cancellation, a deletion, or another that has taken it over ends the run. */
export function watchRun(backups: BackupPorts['backups'], run: Backup): RunWatch {
  const ended = new AbortController();
  const { name, namespace, uid } = run.metadata;
  const stop = backups.onChange(({ type, object }) => {
    if (object.metadata.name !== name || object.metadata.namespace !== namespace || ended.signal.aborted) return;
    const why = type === 'deleted' && object.metadata.uid === uid ? 'BACKUP_DELETED' : interruption(run, object);
    if (why !== undefined) ended.abort(interruptionError(why, name ?? ''));
  });
  return { signal: ended.signal, stop };
}

/** Whether the run has to end, by the Backup as it is now. Pure. */
export function interruption(run: Backup, now: Backup): RunInterruption | undefined {
  if (now.metadata.uid !== run.metadata.uid || now.metadata.deletionTimestamp !== undefined) return 'BACKUP_DELETED';
  // What the cache shows may be older than the claim of this run.
  if (now.status?.phase === 'ReadyToStart') return now.spec.cancel === true ? 'BACKUP_CANCELED' : undefined;
  if (now.status?.phase !== 'InProgress' || workedOnBy(now) !== workedOnBy(run)) return 'BACKUP_TAKEN_OVER';
  return now.spec.cancel === true ? 'BACKUP_CANCELED' : undefined;
}

const words: Readonly<Record<RunInterruption, string>> = {
  BACKUP_CANCELED: 'is to be cancelled',
  BACKUP_DELETED: 'was deleted while it ran',
  BACKUP_TAKEN_OVER: 'was taken over by another controller while it ran',
};

export const interruptionError = (code: RunInterruption, name: string): AppError =>
  new AppError(code, `Backup ${name} ${words[code]}`);
