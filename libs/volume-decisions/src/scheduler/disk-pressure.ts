import type { DiskFacts } from './cluster-facts.ts';

type Space = Pick<DiskFacts, 'storageMaximum' | 'storageAvailable'>;

/** Whether the disk is, with `moreBytes` on it, as full as the percentage says; never with a percentage of 0, which is off. */
export function underPressure(disk: Space, moreBytes: bigint, percentage: number): boolean {
  if (percentage === 0) return false;
  return (disk.storageMaximum - disk.storageAvailable + moreBytes) * 100n >= disk.storageMaximum * BigInt(percentage);
}

/** How full it is, in whole percent. */
export const diskPressure = ({ storageMaximum, storageAvailable }: Space): bigint =>
  storageMaximum === 0n ? 100n : ((storageMaximum - storageAvailable) * 100n) / storageMaximum;
