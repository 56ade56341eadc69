import type { MountEntry } from '@lateen/kernel';
import { findVolume } from '../controller/find-record.ts';
import { usageOf } from '../host/usage.ts';
import type { VolumeRecord } from '../store/records.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';

export interface UsageFigures {
  total: number;
  used: number;
  available: number;
}

export interface VolumeStats {
  bytes: UsageFigures;
  /** File system volumes only. */
  inodes?: UsageFigures;
  condition: VolumeCondition;
}

export interface VolumeCondition {
  abnormal: boolean;
  message: string;
}

/** Room and health of a volume where a pod has it. @throws AppError `NOT_FOUND` when it is not there. */
export async function volumeStats(
  deps: VolumeDeps,
  request: { volumeId: string; volumePath: string },
  signal: AbortSignal,
): Promise<VolumeStats> {
  const record = findVolume(deps, request.volumeId);
  const file = deps.paths.backingFile(record);
  const usage = await usageOf(deps.host, file, signal);
  const at = ({ mountPoint }: MountEntry) => mountPoint === request.volumePath;
  const facts = await deps.host.files.facts(file);
  const mount = usage.fileSystemMounts.find(at);
  if (mount === undefined && !usage.deviceMounts.some(at)) {
    throw volumeError('NOT_FOUND', `volume ${record.id} is not at ${request.volumePath}`);
  }
  const condition = conditionOf(record, facts?.sizeBytes, mount);
  if (mount === undefined) {
    const used = Math.min(facts?.allocatedBytes ?? 0, record.capacityBytes);
    return { bytes: { total: record.capacityBytes, used, available: record.capacityBytes - used }, condition };
  }
  const space = await deps.host.files.space(request.volumePath);
  return {
    bytes: { total: space.totalBytes, used: space.usedBytes, available: space.availableBytes },
    inodes: { total: space.totalInodes, used: space.totalInodes - space.freeInodes, available: space.freeInodes },
    condition,
  };
}

/** Pure. What can be seen to be wrong without reading data. */
export function conditionOf(
  record: VolumeRecord,
  fileBytes: number | undefined,
  mount: MountEntry | undefined,
): VolumeCondition {
  if (fileBytes === undefined) return { abnormal: true, message: 'the backing file is gone' };
  if (fileBytes < record.capacityBytes)
    return { abnormal: true, message: 'the backing file is shorter than the volume' };
  // Otherwise only the kernel makes a superblock read-only: after an error in the file system.
  if (record.isReadOnly !== true && mount?.superOptions.includes('ro')) {
    return { abnormal: true, message: 'the file system turned read-only after an error' };
  }
  return { abnormal: false, message: 'the backing file is whole and no error shows' };
}
