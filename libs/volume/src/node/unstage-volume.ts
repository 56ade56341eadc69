import { mountAt } from '@lateen/kernel';
import { findTraces } from '../controller/find-record.ts';
import { readMounts, runQuick } from '../host/host.ts';
import { detachLoop } from '../host/loop-devices.ts';
import { isMounted, usageOf } from '../host/usage.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';
import { unmountPath } from './unmount-path.ts';

/**
 * Undoes a stage: unmounts the staging path and detaches the volume's loop devices. Idempotent, also for a volume whose
 * record is gone.
 * @throws AppError `NOT_FOUND`, `INVALID_ARGUMENT` when another volume is mounted at the path, `FAILED_PRECONDITION`
 * while it is still published.
 */
export async function unstageVolume(
  deps: VolumeDeps,
  request: { volumeId: string; stagingPath: string },
  signal: AbortSignal,
): Promise<void> {
  const record = findTraces(deps, request.volumeId);
  if (record === undefined) return;
  const { remount, ...settled } = record;
  // A mount that growing took off is not wanted back any more.
  if (remount !== undefined) await deps.store.put(settled);
  const file = deps.paths.backingFile(record);
  const devices = new Set((await usageOf(deps.host, file, signal)).loops.map((loop) => loop.device));
  await flush(deps, request.stagingPath, devices, signal);
  await unmountPath(deps.host, request.stagingPath, (mount) => devices.has(mount.device), signal);
  const usage = await usageOf(deps.host, file, signal);
  if (isMounted(usage)) {
    const [mount] = [...usage.fileSystemMounts, ...usage.deviceMounts];
    throw volumeError('FAILED_PRECONDITION', `volume ${record.id} is still published at ${mount?.mountPoint}`, {
      retry: 'later',
      nextStep: 'Unpublish it there first.',
    });
  }
  for (const loop of usage.loops) await detachLoop(deps.host, loop, signal);
}

/** Unmounting writes everything back only where it is the last mount; another namespace may have a copy of this one. */
async function flush(deps: VolumeDeps, path: string, devices: Set<string>, signal: AbortSignal): Promise<void> {
  const mount = mountAt(await readMounts(deps.host), path);
  if (mount !== undefined && devices.has(mount.device)) {
    await runQuick(deps.host, signal, 'sync', ['--file-system', path]);
  }
}
