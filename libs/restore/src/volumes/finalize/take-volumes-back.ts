import type { Restore } from '@lateen/api-types';
import { retireUnusedSnapshots } from '@lateen/item-actions';
import { takeAids } from './take-aids.ts';
import type { VolumePorts } from './volumes-to-finalize.ts';

/**
 * Deletes what a failed, cancelled or deleted restore created for its volumes and nothing uses: VolumeSnapshots that are the source of no
 * claim, with their contents. The snapshots on the storage belong to the backup and stay. Movements have ended before. Safe to repeat.
 */
export async function takeVolumesBack(ports: VolumePorts, restore: Restore, signal: AbortSignal): Promise<void> {
  await retireUnusedSnapshots(ports, restore, signal);
  await takeAids(ports, restore, signal);
}
