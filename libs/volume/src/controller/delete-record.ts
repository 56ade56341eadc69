import { isMounted, usageOf } from '../host/usage.ts';
import type { AnyRecord } from '../store/records.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';
import { livesElsewhere } from './find-record.ts';
import { inUse, removeRecordAndData } from './roll-back.ts';

/**
 * Deletes a volume. One that is not there is deleted already. Its snapshots and clones stay: they own their blocks.
 * @throws AppError `FAILED_PRECONDITION` while it is mounted, or when it lives on another node (saying "deleted" would
 * leak it there).
 */
export async function deleteVolume(deps: VolumeDeps, id: string, signal: AbortSignal): Promise<void> {
  const record = deps.store.volume(id);
  if (record === undefined) return refuseElsewhere(deps, id);
  await deleteRecord(deps, record, signal);
}

/** Deletes a snapshot. Volumes made from it stay. @throws AppError `FAILED_PRECONDITION` as {@link deleteVolume}. */
export async function deleteSnapshot(deps: VolumeDeps, id: string, signal: AbortSignal): Promise<void> {
  const record = deps.store.snapshot(id);
  if (record === undefined) return refuseElsewhere(deps, id);
  await deleteRecord(deps, record, signal);
}

async function deleteRecord(deps: VolumeDeps, record: AnyRecord, signal: AbortSignal): Promise<void> {
  if (isMounted(await usageOf(deps.host, deps.paths.backingFile(record), signal))) throw inUse(record.id);
  if (record.state !== 'deleting') await deps.store.put({ ...record, state: 'deleting' });
  await removeRecordAndData(deps, { ...record, state: 'deleting' }, signal);
}

function refuseElsewhere(deps: VolumeDeps, id: string): void {
  if (!livesElsewhere(deps, id)) return;
  throw volumeError('FAILED_PRECONDITION', `${id} is on another node than ${deps.nodeId}`, {
    retry: 'later',
    nextStep: 'The driver of that node has to delete it.',
  });
}
