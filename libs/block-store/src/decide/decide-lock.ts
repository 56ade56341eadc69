import type { LockFile } from '../format/lock-file.ts';

/** A lock with the time of its file, by the store's clock. */
export interface SeenLock {
  readonly name: string;
  /** Undefined for a file that cannot be read as a lock. */
  readonly file: LockFile | undefined;
  /** Undefined if the store does not report it. */
  readonly modifiedAtMs: number | undefined;
}

export interface LockRefusal {
  /** The lock that has precedence. */
  readonly by: SeenLock;
  readonly why: 'other-type' | 'unreadable';
}

/** A living client rewrites its lock every minute. */
export const lockExpiryMs = 150_000;

export const isExpired = ({ modifiedAtMs }: Pick<SeenLock, 'modifiedAtMs'>, nowMs: number): boolean =>
  modifiedAtMs !== undefined && nowMs - modifiedAtMs > lockExpiryMs;

/**
 * Whether `own` may continue, and if not, because of which lock: one of another type that has not expired and has precedence. Acquired locks come
 * before others, then those of older files, then those of smaller names. An unreadable file may be any client's lock and has precedence until it has
 * expired.
 * @param nowMs by the store's clock
 */
export function decideLock(own: SeenLock, others: readonly SeenLock[], nowMs: number): 'held' | LockRefusal {
  for (const other of others) {
    if (other.name === own.name || isExpired(other, nowMs)) continue;
    if (other.file === undefined) return { by: other, why: 'unreadable' };
    if (other.file.type === own.file?.type) continue;
    if (comesFirst(other, own)) return { by: other, why: 'other-type' };
  }
  return 'held';
}

function comesFirst(a: SeenLock, b: SeenLock): boolean {
  const [aAcquired, bAcquired] = [a.file?.acquired === true, b.file?.acquired === true];
  if (aAcquired !== bAcquired) return aAcquired;
  // A lock with an unknown time has to be treated as the older one.
  const [aMs, bMs] = [a.modifiedAtMs ?? Number.NEGATIVE_INFINITY, b.modifiedAtMs ?? Number.NEGATIVE_INFINITY];
  return aMs === bMs ? a.name < b.name : aMs < bMs;
}
