import { annotations, type PodVolumeBackup } from '@lateen/api-types';
import type { BackupVolumeInfo } from '@lateen/backup-store';

/** How a volume is backed up that was read through the file system (object-store-layout.md section 5.5); without what its claim says. Pure. */
export function podVolumeInfo({ metadata, spec, status }: PodVolumeBackup): BackupVolumeInfo {
  const { phase = 'New', snapshotID, progress, incrementalBytes, startTimestamp, completionTimestamp } = status ?? {};
  const claim = metadata.annotations?.[annotations.pvcName];
  const { namespace: podNamespace = '', name: podName = '' } = spec.pod;
  return {
    ...(claim === undefined ? {} : { pvcName: claim, pvcNamespace: podNamespace }),
    backupMethod: 'PodVolumeBackup',
    snapshotDataMoved: false,
    preserveLocalSnapshot: false,
    skipped: false,
    ...(startTimestamp ? { startTimestamp } : {}),
    ...(completionTimestamp ? { completionTimestamp } : {}),
    // One that nobody could bring to an end has not stored the volume either.
    result: phase === 'Completed' ? 'succeeded' : 'failed',
    pvbInfo: {
      ...(snapshotID ? { snapshotHandle: snapshotID } : {}),
      ...(progress?.totalBytes === undefined ? {} : { size: progress.totalBytes }),
      ...(incrementalBytes === undefined ? {} : { incrementalSize: incrementalBytes }),
      uploaderType: spec.uploaderType ?? '',
      volumeName: spec.volume,
      podName,
      podNamespace,
      nodeName: spec.node,
      Phase: phase,
    },
  };
}
