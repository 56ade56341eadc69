import type { StoredBackup } from '../format/backup-config.ts';
import type { TextMap } from '../format/config-field.ts';
import { formatTime } from '../format/go-time.ts';
import type { StoredVolume } from '../format/volume-config.ts';
import { findVolume, writeVolume } from '../store/read-configs.ts';
import type { StoreContext } from '../store/store-context.ts';
import type { BackupPlan } from './backup-plan.ts';
import type { BlockSource } from './block-source.ts';
import type { Uploaded } from './upload-blocks.ts';

/** Creates volume.cfg for a volume without one: its compression method applies to all backups of the volume. */
export async function volumeFor(
  context: StoreContext,
  plan: BackupPlan,
  source: BlockSource,
  signal: AbortSignal,
): Promise<StoredVolume> {
  const found = await findVolume(context, plan.volume, signal);
  if (found !== undefined) return found;
  const made: StoredVolume = {
    name: plan.volume,
    sizeBytes: source.sizeBytes,
    labels: sortedByName(plan.labels),
    createdTime: formatTime(context.clock.now()),
    lastBackupName: '',
    lastBackupAt: '',
    blockCount: 0n,
    backingImageName: plan.backingImageName ?? '',
    backingImageChecksum: plan.backingImageChecksum ?? '',
    compressionMethod: plan.compressionMethod,
    storageClassName: plan.storageClassName,
    dataEngine: 'v1',
    other: {},
  };
  await writeVolume(context, made, signal);
  return made;
}

/** Records the backup as the last one. The file is read again, because another backup of the volume may have ended meanwhile. */
export async function noteInVolume(
  context: StoreContext,
  plan: BackupPlan,
  source: BlockSource,
  backup: StoredBackup,
  { newBlocks }: Uploaded,
  signal: AbortSignal,
): Promise<void> {
  const volume = await volumeFor(context, plan, source, signal);
  const noted: StoredVolume = {
    ...volume,
    sizeBytes: source.sizeBytes,
    labels: backup.labels,
    lastBackupName: backup.name,
    lastBackupAt: backup.snapshotCreatedAt,
    blockCount: volume.blockCount + BigInt(newBlocks),
    backingImageName: plan.backingImageName ?? '',
    backingImageChecksum: plan.backingImageChecksum ?? '',
    storageClassName: plan.storageClassName,
  };
  await writeVolume(context, noted, signal);
}

/** As Longhorn writes maps. */
export const sortedByName = (map: TextMap): TextMap =>
  Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
