import { thaw } from '../host/frozen-copy.ts';
import { detachLoop } from '../host/loop-devices.ts';
import { isMounted, usageOf } from '../host/usage.ts';
import { volumeLimits } from '../limits.ts';
import type { AnyRecord } from '../store/records.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';

/**
 * Takes away a record that is not `ready`, with everything made for it. Idempotent, in the order that a crash in the
 * middle leaves it to be repeated: thaw, devices, data, record.
 * @throws AppError `FAILED_PRECONDITION` when its data is mounted.
 */
export async function removeRecordAndData(deps: VolumeDeps, record: AnyRecord, signal: AbortSignal): Promise<void> {
  for (const mountPoint of record.frozenMounts ?? []) await thaw(deps.host, mountPoint, signal);
  const file = deps.paths.backingFile(record);
  const usage = await usageOf(deps.host, file, signal);
  if (isMounted(usage)) throw inUse(record.id);
  for (const loop of usage.loops) await detachLoop(deps.host, loop, signal);
  await deps.host.files.removeDurably(file);
  await deps.store.remove(record.id);
}

export function inUse(id: string): Error {
  return volumeError('FAILED_PRECONDITION', `${id} is mounted on this node`, {
    retry: 'later',
    nextStep: 'Delete the pods that use it first.',
  });
}

/** Runs `make`; when it fails, takes away what it left, also when the reason is the call's own abort. */
export async function orRollBack<T>(deps: VolumeDeps, record: AnyRecord, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    const leftOver = deps.store.all().find(({ id }) => id === record.id) ?? record;
    await removeRecordAndData(deps, leftOver, deps.host.clock.deadline(volumeLimits.rollBackMs)).catch(
      (failure: unknown) =>
        // The record stays in state `creating`, so the next call or the next start repeats this.
        deps.host.log.error({ err: failure, id: record.id }, 'rolling back failed'),
    );
    throw error;
  }
}
