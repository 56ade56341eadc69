import { findTraces } from '../controller/find-record.ts';
import { detachLoop } from '../host/loop-devices.ts';
import { usageOf } from '../host/usage.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { unmountPath } from './unmount-path.ts';

/**
 * Undoes a publish: unmounts the target and removes it. Idempotent. The loop device of the last read-only reader goes
 * too; the writable one belongs to the stage.
 * @throws AppError `NOT_FOUND`, `INVALID_ARGUMENT` when another volume is mounted at the path.
 */
export async function unpublishVolume(
  deps: VolumeDeps,
  request: { volumeId: string; targetPath: string },
  signal: AbortSignal,
): Promise<void> {
  const record = findTraces(deps, request.volumeId);
  if (record === undefined) return;
  const file = deps.paths.backingFile(record);
  const before = await usageOf(deps.host, file, signal);
  const own = [...before.fileSystemMounts, ...before.deviceMounts];
  const isOurs = (mountPoint: string) => own.some((mount) => mount.mountPoint === mountPoint);
  await unmountPath(deps.host, request.targetPath, (mount) => isOurs(mount.mountPoint), signal);
  await deps.host.files.removeMountPoint(request.targetPath);
  const after = await usageOf(deps.host, file, signal);
  for (const loop of after.loops.filter(({ readOnly }) => readOnly)) {
    const isRead = after.deviceMounts.some(({ root }) => root === loop.path.replace(/^\/dev/, ''));
    if (!isRead) await detachLoop(deps.host, loop, signal);
  }
}
