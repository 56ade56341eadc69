import type { DiskFacts } from './cluster-facts.ts';

type Space = Pick<DiskFacts, 'storageMaximum' | 'storageAvailable' | 'storageReserved' | 'storageScheduled'>;

/** Whether `sizeBytes` more may be promised to volumes on the disk without exceeding the over-provisioning limit. */
export function hasRoom(disk: Space, sizeBytes: bigint, overProvisioningPercentage: number): boolean {
  const allowed = (disk.storageMaximum - disk.storageReserved) * BigInt(overProvisioningPercentage);
  return (sizeBytes + disk.storageScheduled) * 100n <= allowed;
}

/** Whether the required share of the disk stays free when it also holds `actualBytes`. Exactly that share is too little. */
export function keepsMinimalAvailable(disk: Space, actualBytes: bigint, minimalAvailablePercentage: number): boolean {
  return (disk.storageAvailable - actualBytes) * 100n > disk.storageMaximum * BigInt(minimalAvailablePercentage);
}

/** The space left on the disk if every volume on it were full; negative when it is over-provisioned. */
export const usableBytes = (disk: Space): bigint =>
  disk.storageAvailable - disk.storageReserved - disk.storageScheduled;

/** Whether a replica on the disk may grow: what it has today is already counted. */
export function hasRoomToGrow(
  disk: Space,
  fromBytes: bigint,
  toBytes: bigint,
  percentages: { readonly overProvisioningPercentage: number; readonly minimalAvailablePercentage: number },
): boolean {
  if (toBytes <= fromBytes) return true;
  return (
    hasRoom(disk, toBytes - fromBytes, percentages.overProvisioningPercentage) &&
    keepsMinimalAvailable(disk, 0n, percentages.minimalAvailablePercentage)
  );
}
