import type { PurgeProgress } from '@lateen/block-engine';
import type { EnginePurgeStatus, EngineStatus } from '@lateen/storage-types';
import { progressMs } from './engine-seen.ts';

type Purges = Readonly<Record<string, EnginePurgeStatus>>;

/**
 * `status.purgeStatus`: the result of the last merge of removed snapshots on each replica, by its address. The host purges one replica after the
 * other and reports one at a time: a replica reported before has finished. The result stays until the next purge, because clients of the API look for
 * it; for replicas that the engine no longer has it is removed.
 */
export function purgesOf(
  { purgeStatus }: EngineStatus,
  purge: PurgeProgress | undefined,
  {
    addresses,
    sinceProgressMs,
  }: { readonly addresses: Readonly<Record<string, string>>; readonly sinceProgressMs: number },
): Purges {
  const there = new Set(Object.values(addresses));
  const before: Purges = Object.fromEntries(Object.entries(purgeStatus ?? {}).filter(([key]) => there.has(key)));
  const ran = Object.values(before).some(({ isPurging }) => isPurging === true);
  const done: Purges = Object.fromEntries(
    Object.entries(before).map(([key, each]) => [key, each.isPurging === true ? complete : each]),
  );
  const key = purge === undefined ? undefined : addresses[purge.replica];
  if (purge === undefined || key === undefined) return done;
  const { doneBytes, totalBytes, error } = purge;
  const progress = totalBytes > 0n ? Number((doneBytes * 100n) / totalBytes) : 0;
  if (error !== undefined)
    return { ...done, [key]: { isPurging: false, progress, error: error.message, state: 'error' } };
  const last = before[key];
  const isSame = last?.isPurging === true && sinceProgressMs < progressMs;
  const now = isSame ? last : { isPurging: true, progress, error: '', state: 'in_progress' };
  return { ...(ran ? done : {}), [key]: now };
}

const complete: EnginePurgeStatus = { isPurging: false, progress: 100, error: '', state: 'complete' };
