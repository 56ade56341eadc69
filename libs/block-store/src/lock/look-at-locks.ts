import { AppError, isAppError } from '@lateen/errors';
import { isExpired, type SeenLock } from '../decide/decide-lock.ts';
import { parseLockFile } from '../format/lock-file.ts';
import { lockOfKey, type VolumePaths } from '../names/store-paths.ts';
import { readBounded } from '../store/read-bounded.ts';
import type { StoreContext } from '../store/store-context.ts';

/** Files of dead clients are never removed, so there may be many; only those that have not expired are read. */
const locksMax = 10_000;
/** A lock has 60 bytes. */
const lockBytesMax = 64 * 1024;

export interface LocksSeen {
  /** As it was listed; undefined when its file is gone. */
  readonly own: SeenLock | undefined;
  readonly others: readonly SeenLock[];
  readonly storeNowMs: number;
}

/**
 * All locks of a volume. Their age is by the store's clock.
 * @param ownName a lock that this process has written
 * @param ownAgeMs how long ago
 * @param nowMs of this machine, for a store that reports no times
 */
export async function lookAtLocks(
  { store }: Pick<StoreContext, 'store'>,
  paths: VolumePaths,
  { ownName, ownAgeMs, nowMs, signal }: { ownName: string; ownAgeMs: () => number; nowMs: number; signal: AbortSignal },
): Promise<LocksSeen> {
  const listed: SeenLock[] = [];
  for await (const { key, modifiedAtMs } of store.list(paths.locks, { signal })) {
    const name = lockOfKey(paths, key);
    if (name === undefined) continue;
    if (listed.length >= locksMax) throw tooManyLocks(paths.locks);
    listed.push({ name, file: undefined, modifiedAtMs });
  }
  const ownListed = listed.find(({ name }) => name === ownName);
  // The store has recorded the time of our own lock: by the store's clock it is now that time plus the lock's age.
  const storeNowMs = ownListed?.modifiedAtMs === undefined ? nowMs : ownListed.modifiedAtMs + ownAgeMs();
  const others: SeenLock[] = [];
  for (const lock of listed) {
    if (lock.name === ownName || isExpired(lock, storeNowMs)) continue;
    const read = await readLock(store, paths, lock, signal);
    if (read !== undefined) others.push(read);
  }
  return { own: ownListed, others, storeNowMs };
}

/** Undefined when it has been deleted since. */
async function readLock(
  store: StoreContext['store'],
  paths: VolumePaths,
  lock: SeenLock,
  signal: AbortSignal,
): Promise<SeenLock | undefined> {
  try {
    const bytes = await readBounded(store, paths.lock(lock.name), lockBytesMax, signal);
    return { ...lock, file: bytes === 'too-large' ? undefined : parseLockFile(bytes.toString('utf8')) };
  } catch (error) {
    if (isAppError(error, 'OBJECT_NOT_FOUND')) return undefined;
    throw error;
  }
}

const tooManyLocks = (folder: string): AppError =>
  new AppError('BLOCK_STORE_FILE', `${folder} in the backup store has more than ${locksMax} locks`, {
    nextStep: 'Delete those that are older than an hour: their clients are gone.',
  });
