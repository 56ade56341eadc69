import { copyFile } from '../host/copy-file.ts';
import { loopsOf } from '../host/loop-devices.ts';
import { volumeLimits } from '../limits.ts';
import { discardGrowing } from '../node/grow-on-copy.ts';
import type { SnapshotRecord, VolumeRecord } from '../store/records.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';
import { copiedBytes } from './create-snapshot.ts';

/**
 * Reverts an unused volume to one of its snapshots; it keeps its size. A copy is made beside it and takes its
 * place by rename when it is whole, so a crash leaves the one or the other. Idempotent.
 * @throws AppError `FAILED_PRECONDITION` while it has a device, `RESOURCE_EXHAUSTED` without room for a copy.
 */
export async function revertVolume(
  deps: VolumeDeps,
  volume: VolumeRecord,
  snapshot: SnapshotRecord,
  signal: AbortSignal,
): Promise<void> {
  const { host, paths } = deps;
  const file = paths.backingFile(volume);
  if ((await loopsOf(host, file, signal)).length > 0) {
    throw volumeError('FAILED_PRECONDITION', `${volume.id} is in use on this node`, {
      retry: 'later',
      nextStep: 'Delete the pods that use it first.',
    });
  }
  const copy = paths.growingFile(volume);
  await discardGrowing(deps, volume, signal);
  try {
    await deps.admission.admit(await copiedBytes(deps, snapshot), `reverting ${volume.id}`, async () => {});
    await copyFile(host, deps.copyMode, { from: paths.backingFile(snapshot), to: copy }, signal);
    await host.files.growSparse(copy, volume.capacityBytes);
    // The record first: a file system that it does not know is looked for, one that it takes for smaller is grown in vain.
    const { fileSystem: _newer, ...rest } = volume;
    await deps.store.put({
      ...rest,
      ...(snapshot.fileSystem === undefined ? {} : { fileSystem: snapshot.fileSystem }),
    });
    await host.files.replaceDurably(copy, file);
  } catch (error) {
    await discardGrowing(deps, volume, host.clock.deadline(volumeLimits.rollBackMs)).catch((failure: unknown) =>
      // The next attempt and the next start do it again.
      host.log.error({ err: failure, id: volume.id }, 'could not remove the copy of a failed revert'),
    );
    throw error;
  }
}
