import type { Restore } from '@lateen/api-types';
import { retireUnusedSnapshots } from '@lateen/item-actions';
import { takeAids } from './take-aids.ts';
import type { VolumePorts } from './volumes-to-finalize.ts';

/**
 * Of a restore that has failed, is cancelled or deleted: what it made for its volumes and nothing uses. VolumeSnapshots that no claim is
 * made of go, with their contents; the snapshots on the storage are the backup's and stay. Movements are ended before. Safe to repeat.
 */
export async function takeVolumesBack(ports: VolumePorts, restore: Restore, signal: AbortSignal): Promise<void> {
  await retireUnusedSnapshots(ports, restore, signal);
  await takeAids(ports, restore, signal);
}
