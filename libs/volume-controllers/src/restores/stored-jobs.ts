import { backupLabels, recurringJobsNoteOf, type Volume } from '@lateen/storage-types';
import type { StoredJobsSeen } from '@lateen/volume-decisions';
import type { RoomContext } from '../frame/room-context.ts';
import { backupSourceOf } from './backup-source.ts';

/** Whether the recurring jobs of a volume are still to come back with it. */
export const awaitsJobs = (volume: Volume): boolean => recurringJobsNoteOf(volume) === 'wanted';

/** What is decided by about the recurring jobs that come back with a volume; undefined for all others. */
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
  // A failed look leaves the status without it. One from before the backup may be from before the volume had its jobs.
  const isRead = status?.lastBackupName !== undefined;
  const isOld = Date.parse(backup?.status?.snapshotCreatedAt ?? '') > Date.parse(status?.lastBackupAt ?? '');
  if (!isRead || isOld) return { from: source.volume, existing };
  return { from: source.volume, existing, text: status.labels?.[backupLabels.recurringJobInfo] ?? '' };
}
