import { AppError } from '@lateen/errors';
import { decideLock, type LockRefusal } from '../decide/decide-lock.ts';
import { lockFileText, lockTypes } from '../format/lock-file.ts';
import { newLockName } from '../names/store-names.ts';
import type { VolumePaths } from '../names/store-paths.ts';
import type { StoreContext } from '../store/store-context.ts';
import { type HeldLock, keepLock } from './keep-lock.ts';
import { lookAtLocks } from './look-at-locks.ts';

/** Other clients that write a lock at the same time see ours within this time. */
const settleMs = 2_000;
/** Time for the release, which no caller waits for. */
const releaseMs = 20_000;

export type LockPurpose = 'backup create/restore' | 'backup delete';

const typeOf = { 'backup create/restore': lockTypes.backupOrRestore, 'backup delete': lockTypes.deletion } as const;

/**
 * Runs `work` while this client holds the volume's lock for its purpose. `held.signal` aborts with the caller's signal, and with
 * BLOCK_STORE_LOCK_LOST when the lock could not be renewed in time; `held.check` is called before anything that must not happen without the lock. The
 * lock is deleted at the end, also after a failure; a lock that is left behind expires.
 * @throws BLOCK_STORE_LOCKED (later) when another client has the volume: one attempt, no waiting
 */
export async function withLock<T>(
  context: StoreContext,
  volume: string,
  { purpose, signal }: { purpose: LockPurpose; signal: AbortSignal },
  work: (held: HeldLock) => Promise<T>,
): Promise<T> {
  const { store, clock, log } = context;
  const paths = context.paths.volume(volume);
  const name = newLockName(context.random);
  const key = paths.lock(name);
  const write = async (acquired: boolean, of: AbortSignal): Promise<number> => {
    const beganMs = clock.monotonicMs();
    await store.put(key, Buffer.from(lockFileText({ name, type: typeOf[purpose], acquired })), { signal: of });
    return beganMs;
  };
  try {
    const firstMs = await write(false, signal);
    await clock.sleep(settleMs, signal);
    await refuseUnlessFirst(context, paths, { name, purpose, writtenMs: firstMs, signal });
    const acquiredMs = await write(true, signal);
    // A slow store may have shown another client's lock only after that client's check: a client that now finds an acquired lock backs off.
    await refuseUnlessFirst(context, paths, { name, purpose, writtenMs: acquiredMs, signal, isSecondLook: true });
    const kept = keepLock({ clock, log, signal, key, acquiredMs, write: (of) => write(true, of) });
    try {
      return await work(kept.held);
    } finally {
      await kept.end();
    }
  } finally {
    await store.delete(key, { signal: clock.deadline(releaseMs) }).catch((err: unknown) => {
      log.warn({ err, key }, 'a lock in the backup store could not be deleted; it expires by itself');
    });
  }
}

interface Look {
  name: string;
  purpose: LockPurpose;
  writtenMs: number;
  signal: AbortSignal;
  isSecondLook?: boolean;
}

async function refuseUnlessFirst(
  context: StoreContext,
  paths: VolumePaths,
  { name, purpose, writtenMs, signal, isSecondLook = false }: Look,
): Promise<void> {
  const { clock } = context;
  const ownAgeMs = () => clock.monotonicMs() - writtenMs;
  const seen = await lookAtLocks(context, paths, { ownName: name, ownAgeMs, nowMs: clock.now(), signal });
  if (seen.own === undefined) throw refused(paths.lock(name), purpose, 'it is gone from the store');
  const file = { name, type: typeOf[purpose], acquired: isSecondLook };
  const own = { name, file, modifiedAtMs: isSecondLook ? Number.POSITIVE_INFINITY : seen.own.modifiedAtMs };
  const decision = decideLock(own, seen.others, seen.storeNowMs);
  if (decision !== 'held') throw refused(paths.lock(name), purpose, causeOf(decision, paths), decision);
}

const causeOf = ({ by, why }: LockRefusal, paths: VolumePaths): string =>
  why === 'unreadable' ? `${paths.lock(by.name)} is not a lock that can be read` : `${paths.lock(by.name)} comes first`;

function refused(key: string, purpose: LockPurpose, cause: string, refusal?: LockRefusal): AppError {
  const message = `failed to acquire lock ${key} when performing ${purpose}, please try again later`;
  const isUnreadable = refusal?.why === 'unreadable';
  const other = purpose === 'backup delete' ? 'backup or restore' : 'deletion';
  return new AppError('BLOCK_STORE_LOCKED', message, {
    retry: 'later',
    cause: new Error(cause),
    nextStep: isUnreadable
      ? 'It counts for 2m30s after it was written; delete the file if nobody needs it.'
      : `Wait until the ${other} of this volume has ended; the lock of a client that died counts for 2m30s.`,
    details: { key, by: refusal?.by.name },
  });
}
