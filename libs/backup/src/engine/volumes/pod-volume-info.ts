import { annotations, type PodVolumeBackup } from '@lateen/api-types';
import type { BackupVolumeInfo } from '@lateen/backup-store';

/** The volume info of a volume that was read through the file system, without facts of its claim (object-store-layout.md section 5.5). Pure. */
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
    // A PodVolumeBackup that could not be ended has not stored the volume either.
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
