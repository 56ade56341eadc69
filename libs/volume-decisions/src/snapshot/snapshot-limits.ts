import { type EngineSnapshot, int64Of, type Volume, volumeHead } from '@lateen/storage-types';
import type { Refusal } from '../checks/check.ts';
import type { Settings } from '../settings/read-settings.ts';

/** Why a volume must not have another snapshot. A snapshot marked as removed counts in bytes until it is merged, but not in number. */
export function checkSnapshotLimits(
  { spec }: Pick<Volume, 'spec'>,
  snapshots: Readonly<Record<string, EngineSnapshot>>,
  settings: Settings,
): Refusal {
  const there = Object.entries(snapshots).filter(([name]) => name !== volumeHead);
  const countMax =
    (spec.snapshotMaxCount ?? 0) > 0 ? (spec.snapshotMaxCount ?? 0) : settings.number('snapshot-max-count');
  const count = there.filter(([, { removed }]) => removed !== true).length;
  if (count >= countMax) return `the volume has ${count} snapshots and may have ${countMax}`;
  const bytesMax = int64Of(spec.snapshotMaxSize) ?? 0n;
  const bytes = there.reduce((sum, [, { size }]) => sum + (int64Of(size) ?? 0n), 0n);
  if (bytesMax > 0n && bytes >= bytesMax)
    return `the snapshots of the volume take ${bytes} bytes and may take ${bytesMax}`;
  return undefined;
}
