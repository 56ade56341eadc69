import { keyOf, type ObjectKey } from '@lateen/kube';
import { type Watch, watches } from '@lateen/kube-runtime';
import { backupStateOf, backupTargetNameOf, int64Of, storageLabels, type Volume } from '@lateen/storage-types';
import { pendingContent, type RestoreSeen } from '@lateen/volume-decisions';
import type { RoomContext } from '../frame/room-context.ts';
import { backupSourceOf } from './backup-source.ts';
import { awaitsJobs } from './stored-jobs.ts';

type Needs = Pick<RoomContext, 'caches'>;

/** The facts about a volume whose content still has to be restored from a backup; undefined for all others. */
export function restoreFacts(context: Needs, volume: Volume): RestoreSeen | undefined {
  if (pendingContent(volume)?.name !== 'backup') return undefined;
  const source = backupSourceOf(context, volume);
  if ('problem' in source) return { source, backups: [] };
  const { object, ...rest } = source;
  const { target = '' } = rest;
  const { caches } = context;
  const complete = caches.backups
    .byIndex('volume', source.volume)
    .filter((backup) => backupTargetNameOf(backup) === target && backupStateOf(backup) === 'Completed');
  const of = caches.backupVolumes
    .byIndex('target', target)
    .find(({ spec }) => (spec.volumeName ?? '') === source.volume);
  const named = complete.find(({ metadata }) => metadata.name === source.backup);
  const sizeBytes = int64Of(of?.status?.size) ?? int64Of(named?.status?.volumeSize);
  return {
    source: rest,
    backups: complete.map(({ metadata, status }) => ({
      name: metadata.name ?? '',
      takenAt: status?.snapshotCreatedAt ?? '',
    })),
    ...(sizeBytes === undefined || sizeBytes === 0n ? {} : { sizeBytes }),
  };
}

/** Its content or its recurring jobs still have to be restored. */
const isWaiting = (volume: Volume): boolean => pendingContent(volume)?.name === 'backup' || awaitsJobs(volume);

/** Queues volumes whose content or jobs still have to be restored when objects of backups change. */
export function watchedRestores({ caches }: Needs): readonly Watch[] {
  const waiting = (of?: string): ObjectKey[] =>
    caches.volumes
      .list()
      .filter((volume) => isWaiting(volume) && (of === undefined || follows(volume, of)))
      .map(keyOf);
  const follows = (volume: Volume, of: string): boolean => {
    const source = backupSourceOf({ caches }, volume);
    return 'problem' in source || source.volume === of;
  };
  return [
    watches(caches.backups, ({ object: { metadata, status } }) =>
      waiting(metadata.labels?.[storageLabels.backupVolume] ?? status?.volumeName),
    ),
    watches(caches.backupVolumes, ({ object }) => waiting(object.spec.volumeName ?? '')),
    watches(caches.backupTargets, () => waiting()),
  ];
}
