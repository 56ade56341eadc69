import { csi } from '@lateen/csi';
import { type UsageFigures, type VolumeStats, volumeError } from '@lateen/volume';

/** Looked up among the volume's mount points, never followed: a path that is none of them is NOT_FOUND. */
export function presentPath(volumePath: string): string {
  if (volumePath === '') throw volumeError('INVALID_ARGUMENT', 'volume_path is missing');
  return volumePath;
}

export function statsMessage({ bytes, inodes, condition }: VolumeStats): csi.NodeGetVolumeStatsResponse {
  const unit = csi.VolumeUsage_Unit;
  const usage = [usageMessage(bytes, unit.BYTES)];
  if (inodes !== undefined) usage.push(usageMessage(inodes, unit.INODES));
  return { usage, volumeCondition: condition };
}

function usageMessage(figures: UsageFigures, unit: csi.VolumeUsage_Unit): csi.VolumeUsage {
  const { total, used, available } = figures;
  return { total: BigInt(total), used: BigInt(used), available: BigInt(available), unit };
}
