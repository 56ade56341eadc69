import { copyFile } from '../host/copy-file.ts';
import { copyFrozen } from '../host/frozen-copy.ts';
import { runQuick } from '../host/host.ts';
import { usageOf } from '../host/usage.ts';
import type { AnyRecord, VolumeRecord } from '../store/records.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';

/**
 * Makes `target`'s data from a volume as it is at one moment, whether or not it is in use. The target's record must be
 * on disk as `creating`: the freeze is noted there first, so that a restart can take it back.
 * @throws AppError `FAILED_PRECONDITION` for a raw block device in use where copying takes time.
 */
export async function copyVolumeData(
  deps: VolumeDeps,
  source: VolumeRecord,
  target: AnyRecord,
  signal: AbortSignal,
): Promise<void> {
  const paths = { from: deps.paths.backingFile(source), to: deps.paths.backingFile(target) };
  const usage = await usageOf(deps.host, paths.from, signal);
  const mount = usage.fileSystemMounts[0];
  if (mount !== undefined) {
    await deps.store.put({ ...target, frozenMounts: [mount.mountPoint] });
    return copyFrozen(deps.host, { ...paths, mountPoint: mount.mountPoint, mode: deps.copyMode }, signal);
  }
  if (usage.loops.length > 0 && deps.copyMode === 'plain') throw cannotCopyDevice(source.id);
  for (const loop of usage.loops) await runQuick(deps.host, signal, 'sync', [loop.path]);
  await copyFile(deps.host, deps.copyMode, paths, signal);
}

function cannotCopyDevice(id: string): Error {
  return volumeError('FAILED_PRECONDITION', `block volume ${id} is in use, and this node can only copy it slowly`, {
    nextStep: 'Stop its pods first, or give the state directory a file system with reflink (XFS).',
  });
}
