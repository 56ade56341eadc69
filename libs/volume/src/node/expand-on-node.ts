import { type CapacityRange, fitsRange } from '../capacity.ts';
import { findVolume } from '../controller/find-record.ts';
import { growExt4Online, growXfs } from '../host/file-systems.ts';
import { runQuick } from '../host/host.ts';
import { usageOf } from '../host/usage.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';

/**
 * Lets the device and the mounted file system follow a volume that has grown. Idempotent.
 * @returns the volume's size in bytes.
 * @throws AppError `NOT_FOUND` when it is not at `volumePath`, `OUT_OF_RANGE`, `FAILED_PRECONDITION` where a mounted
 * ext4 may not grow.
 */
export async function expandOnNode(
  deps: VolumeDeps,
  request: { volumeId: string; volumePath: string; range?: CapacityRange },
  signal: AbortSignal,
): Promise<number> {
  const record = findVolume(deps, request.volumeId);
  const file = deps.paths.backingFile(record);
  if (!fitsRange(record.capacityBytes, request.range)) {
    throw volumeError('OUT_OF_RANGE', `volume ${record.id} has ${record.capacityBytes} bytes, not what was asked for`);
  }
  const usage = await usageOf(deps.host, file, signal);
  const mount = usage.fileSystemMounts.find(({ mountPoint }) => mountPoint === request.volumePath);
  const isDevice = usage.deviceMounts.some(({ mountPoint }) => mountPoint === request.volumePath);
  // Kubelet names the staging path of a block volume that no pod has yet; nothing is mounted there.
  if (mount === undefined && !isDevice && usage.loops.length === 0) {
    throw volumeError('NOT_FOUND', `volume ${record.id} is not at ${request.volumePath}`);
  }
  await deps.host.files.growSparse(file, record.capacityBytes);
  for (const loop of usage.loops) await runQuick(deps.host, signal, 'losetup', ['--set-capacity', loop.path]);
  const { fileSystem } = record;
  if (mount === undefined || fileSystem === undefined) return record.capacityBytes;
  if (fileSystem.sizeBytes < record.capacityBytes) {
    const device = usage.loops.find((loop) => loop.device === mount.device)?.path ?? mount.source;
    if (fileSystem.type === 'xfs') await growXfs(deps.host, request.volumePath, signal);
    else await growExt4Online(deps.host, device, signal);
    await deps.store.put({ ...record, fileSystem: { ...fileSystem, sizeBytes: record.capacityBytes } });
  }
  return record.capacityBytes;
}
