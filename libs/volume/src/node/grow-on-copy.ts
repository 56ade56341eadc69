import { copyFile } from '../host/copy-file.ts';
import { growExt4Offline } from '../host/file-systems.ts';
import { runQuick } from '../host/host.ts';
import { detachLoop, ensureLoop, loopsOf } from '../host/loop-devices.ts';
import { volumeLimits } from '../limits.ts';
import type { VolumeRecord } from '../store/records.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';

/**
 * Grows an ext4 that is not mounted. resize2fs that is killed half-way leaves a wreck which e2fsck will not repair by
 * itself (seen with kill -9), so it works on a copy, and the copy takes the original's place by rename when it is whole.
 * With reflink the copy costs nothing; without, it takes time and room for a while.
 * @throws AppError `FAILED_PRECONDITION` when there is no room for the copy.
 */
export async function growOnCopy(deps: VolumeDeps, record: VolumeRecord, signal: AbortSignal): Promise<void> {
  const { host } = deps;
  const paths = { from: deps.paths.backingFile(record), to: deps.paths.growingFile(record) };
  await discardGrowing(deps, record, signal);
  await checkRoom(deps, record, paths.from);
  for (const loop of await loopsOf(host, paths.from, signal)) {
    await runQuick(host, signal, 'sync', [loop.path]);
    if (!loop.isLeaving) await detachLoop(host, loop, signal);
  }
  try {
    await copyFile(host, deps.copyMode, paths, signal);
    const loop = await ensureLoop(host, paths.to, { readOnly: false, signal });
    await growExt4Offline(host, loop.path, signal);
    await runQuick(host, signal, 'sync', [loop.path]);
    await detachLoop(host, loop, signal);
    await host.files.sync(paths.to);
    await host.files.replaceDurably(paths.to, paths.from);
  } catch (error) {
    await discardGrowing(deps, record, host.clock.deadline(volumeLimits.rollBackMs)).catch((failure: unknown) =>
      // The next attempt and the next start do it again.
      host.log.error({ err: failure, id: record.id }, 'could not remove a half-grown copy'),
    );
    throw error;
  }
}

/** Removes the copy that an interrupted {@link growOnCopy} left. Nothing there is fine. */
export async function discardGrowing(deps: VolumeDeps, record: VolumeRecord, signal: AbortSignal): Promise<void> {
  const copy = deps.paths.growingFile(record);
  for (const loop of await loopsOf(deps.host, copy, signal)) {
    if (!loop.isLeaving) await detachLoop(deps.host, loop, signal);
  }
  if ((await deps.host.files.facts(copy)) !== undefined) await deps.host.files.removeDurably(copy);
}

async function checkRoom(deps: VolumeDeps, record: VolumeRecord, file: string): Promise<void> {
  if (deps.copyMode === 'reflink') return;
  const needed = (await deps.host.files.facts(file))?.allocatedBytes ?? 0;
  const available = await deps.admission.availableBytes();
  if (needed <= available) return;
  throw volumeError(
    'FAILED_PRECONDITION',
    `growing ${record.id} needs ${needed} bytes for a while, ${available} are left`,
    {
      retry: 'later',
      nextStep: 'Give the state directory more room, or a file system with reflink (XFS).',
    },
  );
}
