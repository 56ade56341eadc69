import { backupLabels, recurringJobsNoteOf, type Volume } from '@lateen/storage-types';
import type { StoredJobsSeen } from '@lateen/volume-decisions';
import type { RoomContext } from '../frame/room-context.ts';
import { backupSourceOf } from './backup-source.ts';

/** Whether the recurring jobs of a volume still have to be restored with it. */
export const awaitsJobs = (volume: Volume): boolean => recurringJobsNoteOf(volume) === 'wanted';

/** The facts about recurring jobs that are restored with a volume; undefined for all other volumes. */
export function storedJobsFacts(context: Pick<RoomContext, 'caches'>, volume: Volume): StoredJobsSeen | undefined {
  if (!awaitsJobs(volume)) return undefined;
  const { caches } = context;
  const existing = new Map(caches.recurringJobs.list().map(({ metadata, spec }) => [metadata.name ?? '', spec]));
  const source = backupSourceOf(context, volume);
  if ('problem' in source) return { from: '', existing };
  const status = caches.backupVolumes
    .byIndex('target', source.target ?? '')
    .find(({ spec }) => (spec.volumeName ?? '') === source.volume)?.status;
  const backup = caches.backups
    .byIndex('volume', source.volume)
    .find(({ metadata }) => metadata.name === source.backup);
  // After a failed poll the status lacks this field. A poll from before the backup may be older than the jobs of the volume.
  const isRead = status?.lastBackupName !== undefined;
  const isOld = Date.parse(backup?.status?.snapshotCreatedAt ?? '') > Date.parse(status?.lastBackupAt ?? '');
  if (!isRead || isOld) return { from: source.volume, existing };
  return { from: source.volume, existing, text: status.labels?.[backupLabels.recurringJobInfo] ?? '' };
}
