import type { CapacityRange } from '../capacity.ts';
import { expandVolume } from '../controller/expand-volume.ts';
import { findVolume } from '../controller/find-record.ts';
import { runQuick } from '../host/host.ts';
import { usageOf } from '../host/usage.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';
import { growMounted, restoreMount } from './grow-mounted.ts';

export interface NodeExpandRequest {
  volumeId: string;
  volumePath: string;
  range: CapacityRange;
  /** The mount flags of the volume's use, for an ext4 that has to be mounted again. */
  flags: readonly string[];
}

/**
 * Lets file, device and mounted file system follow a volume that was asked to grow. The file is grown here too, because
 * the controller call may have reached another node (csi-resizer runs once for all nodes). Idempotent.
 * @returns the volume's size in bytes.
 * @throws AppError `NOT_FOUND` when it is not at `volumePath`, `OUT_OF_RANGE`, `RESOURCE_EXHAUSTED`,
 * `FAILED_PRECONDITION` where a mounted ext4 may not grow.
 */
export async function expandOnNode(deps: VolumeDeps, request: NodeExpandRequest, signal: AbortSignal): Promise<number> {
  const found = await restoreMount(deps, findVolume(deps, request.volumeId), signal);
  const usage = await usageOf(deps.host, deps.paths.backingFile(found), signal);
  const mount = usage.fileSystemMounts.find(({ mountPoint }) => mountPoint === request.volumePath);
  // A block volume is a device; kubelet may name its staging path, where nothing is mounted.
  if (mount === undefined && (usage.loops.length === 0 || usage.fileSystemMounts.length > 0)) {
    throw volumeError('NOT_FOUND', `volume ${found.id} is not at ${request.volumePath}`);
  }
  const record = await expandVolume(deps, found.id, request.range);
  for (const loop of usage.loops) await runQuick(deps.host, signal, 'losetup', ['--set-capacity', loop.path]);
  const { fileSystem } = record;
  const loop = usage.loops.find(({ device }) => device === mount?.device);
  if (loop === undefined || fileSystem === undefined || fileSystem.sizeBytes >= record.capacityBytes) {
    return record.capacityBytes;
  }
  if (mount?.superOptions.includes('ro')) throw mountedReadOnly(record.id);
  const { volumePath: at, flags } = request;
  await growMounted(deps, { record, fileSystem, device: loop.path, at, flags }, signal);
  return record.capacityBytes;
}

function mountedReadOnly(id: string): Error {
  return volumeError('FAILED_PRECONDITION', `volume ${id} is mounted read-only and cannot grow now`, {
    retry: 'later',
    nextStep: 'It grows when it is next mounted: restart the pods that use it.',
  });
}
