import type { Backup } from '@lateen/api-types';
import { type BackupOperation, type BackupStore, backupStore } from '@lateen/backup-store';
import { parseDurationMs } from '@lateen/kernel';
import { apiTime } from '@lateen/kube';
import { again, type Outcome } from '@lateen/kube-runtime';
import { withStore } from '@lateen/storage-location';
import { moveBackup, onLatest } from '../api/write-backup.ts';
import type { BackupPorts } from '../backup-ports.ts';
import { isWaiting } from '../phases/phase-moves.ts';
import { isOpenOperation } from '../run/run-end.ts';
import { askProgress, askToEnd } from './ask-progress.ts';
import { decideOperations } from './decide-operations.ts';
import type { Follower, OperationFollowers } from './operation-followers.ts';
import { usableLocation } from './usable-location.ts';
import { type OperationsNews, writeOperations } from './write-operations.ts';

/** Between two looks when nothing wakes (backup-and-restore.md section 10); operations that are asked at a time; itemOperationTimeout. */
export const operationLimits = { lookMs: 10_000, askedAtOnce: 16, timeoutMs: 14_400_000 } as const;

/** One look at the operations of a backup, to its finalizing when all have ended. */
export async function followOperations(
  ports: BackupPorts,
  followers: OperationFollowers,
  backup: Backup,
  signal: AbortSignal,
): Promise<Outcome | 'next'> {
  const location = await usableLocation(ports, backup, signal);
  if ('gone' in location) return await endWithoutLocation(ports, backup, location.gone, signal);
  const inStore: OperationsNews['inStore'] = (use) =>
    withStore(ports, location.usable, { signal, customerKey: true }, (store, { prefix }) =>
      use(backupStore(store, prefix)),
    );
  const follower = followers.get(uidOf(backup)) ?? followers.begin(backup, await inStore(storedOf(backup)), signal);
  await askUnwatched(ports, follower, backup, signal);
  const before = follower.operations;
  const timeoutMs = parseDurationMs(backup.spec.itemOperationTimeout ?? '') || operationLimits.timeoutMs;
  const decision = decideOperations({
    operations: before,
    progress: follower.progress,
    ageMs: (operation) => ageMs(ports, follower, operation),
    timeoutMs,
    now: apiTime(ports.clock.now()),
  });
  for (const operation of decision.timedOut) await askToEnd(ports, backup, operation, signal);
  const after = await writeOperations(ports, { backup, decision, inStore }, signal);
  // Only what is stored is known: a look that fails half-way finds the same news again.
  follower.operations = decision.operations;
  return isWaiting(after) ? again(operationLimits.lookMs, 'operations are under way') : 'next';
}

const uidOf = ({ metadata }: Backup): string => metadata.uid ?? '';

const storedOf =
  ({ metadata }: Backup) =>
  (files: BackupStore): Promise<readonly BackupOperation[]> =>
    files.getItemOperations(metadata.name ?? '');

/** In this process by the clock that never jumps; what was before is as the operation says, and never less than nothing. */
function ageMs({ clock }: BackupPorts, { sinceMs, sinceDayMs }: Follower, { status }: BackupOperation): number {
  const createdMs = Date.parse(status.created ?? '');
  const beforeMs = Number.isNaN(createdMs) ? 0 : Math.max(sinceDayMs - createdMs, 0);
  return beforeMs + clock.monotonicMs() - sinceMs;
}

async function askUnwatched(
  ports: BackupPorts,
  follower: Follower,
  backup: Backup,
  signal: AbortSignal,
): Promise<void> {
  const nowMs = ports.clock.monotonicMs();
  const unwatched = follower.operations.filter(
    (operation) => isOpenOperation(operation.status.phase) && follower.mayAsk(operation, nowMs),
  );
  for (let at = 0; at < unwatched.length; at += operationLimits.askedAtOnce) {
    const some = unwatched.slice(at, at + operationLimits.askedAtOnce);
    await Promise.all(
      some.map(async (operation) => {
        const said = await askProgress(ports, backup, operation, signal);
        if (said !== undefined) follower.asked(operation.spec.operationID, said);
      }),
    );
  }
}

/** In the reference the same: what operations come to cannot be stored any more. */
async function endWithoutLocation(
  ports: BackupPorts,
  backup: Backup,
  why: string,
  signal: AbortSignal,
): Promise<'next'> {
  const end = async (now: Backup) => {
    if (!isWaiting(now)) return now;
    const status = { failureReason: why, completionTimestamp: apiTime(ports.clock.now()) };
    return await moveBackup(ports, now, 'PartiallyFailed', { status }, signal);
  };
  await onLatest(ports, backup, end, signal);
  return 'next';
}
