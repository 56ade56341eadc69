import type { Backup } from '@lateen/api-types';
import type { BackupVolumeInfo, NativeSnapshot, NativeSnapshotInfo } from '@lateen/backup-store';
import type { SnapshotterVolumeInfo } from './volume-snapshotter.ts';

/** What a snapshot is taken of. */
export interface SnapshotSubject {
  backup: Pick<Backup, 'metadata'>;
  /** Names. */
  volume: string;
  location: string;
  volumeID: string;
  /** Empty where the volume names none. */
  zone: string;
  info: SnapshotterVolumeInfo;
}

/** The entry of a snapshot that is about to be asked for (object-store-layout.md section 5.1). Pure. */
export function newSnapshotEntry({ backup, volume, location, volumeID, zone, info }: SnapshotSubject): NativeSnapshot {
  const { name = '', uid = '' } = backup.metadata;
  return {
    spec: {
      backupName: name,
      backupUID: uid,
      location,
      persistentVolumeName: volume,
      providerVolumeID: volumeID,
      volumeType: info.type,
      ...(zone === '' ? {} : { volumeAZ: zone }),
      ...(info.iops === undefined ? {} : { volumeIOPS: info.iops }),
    },
    status: { phase: 'New' },
  };
}

/** What providers have beside the snapshot, so that people find it there: labels of the backup, its name, that of the volume. Pure. */
export const snapshotTags = ({ metadata }: Pick<Backup, 'metadata'>, volume: string): Record<string, string> => ({
  ...metadata.labels,
  'velero.io/backup': metadata.name ?? '',
  'velero.io/pv': volume,
});

/** What volume infos have of it, of backups and restores (object-store-layout.md sections 5.5 and 5.6). Pure. */
export const nativeSnapshotInfo = ({ spec, status }: NativeSnapshot): NativeSnapshotInfo => ({
  snapshotHandle: status.providerSnapshotID ?? '',
  volumeType: spec.volumeType,
  volumeAZ: spec.volumeAZ ?? '',
  iops: String(spec.volumeIOPS ?? 0),
  Phase: status.phase,
});

/** How a volume is backed up that has a native snapshot; without what its claim and its volume say. Pure. */
export const nativeVolumeInfo = (snapshot: NativeSnapshot): BackupVolumeInfo => ({
  backupMethod: 'NativeSnapshot',
  snapshotDataMoved: false,
  preserveLocalSnapshot: false,
  skipped: false,
  result: snapshot.status.phase === 'Completed' ? 'succeeded' : 'failed',
  nativeSnapshotInfo: nativeSnapshotInfo(snapshot),
});
