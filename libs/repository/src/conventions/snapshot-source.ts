import { annotations, type PodVolumeBackup } from '@lateen/api-types';
import { podVolumeUploaderType } from './pod-volume-config.ts';
import { kopiaRepositoryType, type RepositoryType } from './repository-names.ts';

const requester = 'snapshot-data-upload-download';

/** Up to 1.16, Velero used `pod-volume-backup-restore`; Velero and Lateen can restore those snapshots too. */
const podVolumeRequester = 'snapshot-pod-volume';

/** The source of a snapshot inside the repository: kopia finds the parent of the next snapshot by it. */
export interface SnapshotIdentity {
  /** Relative, no leading "/" (data-movement.md section 9). */
  path: string;
  tags: Readonly<Record<string, string>>;
}

/** The source and tags of a DataUpload's snapshot. The namespace is the source's, also when a restore maps it to another. */
export function dataUploadSource(
  sourceNamespace: string,
  sourcePVC: string,
  asyncOperationId: string | undefined,
  uploader: RepositoryType = kopiaRepositoryType,
): SnapshotIdentity {
  return {
    path: `${requester}/${uploader}/${sourceNamespace}/${sourcePVC}`,
    tags: {
      'snapshot-requester': requester,
      'snapshot-uploader': uploader,
      ...(asyncOperationId === undefined || asyncOperationId === ''
        ? {}
        : { 'velero.io/async-operation-id': asyncOperationId }),
    },
  };
}

/**
 * The source and tags of a PodVolumeBackup's snapshot. The claim, where there is one, names the volume, so that snapshots stay
 * incremental when a pod template renames its volume. `spec.tags` is for users and not stored (data-movement.md section 9).
 */
export function podVolumeBackupSource({
  metadata,
  spec,
}: Pick<PodVolumeBackup, 'metadata' | 'spec'>): SnapshotIdentity {
  const uploader = podVolumeUploaderType(spec);
  const volume = metadata.annotations?.[annotations.pvcName] || spec.volume;
  return {
    path: [podVolumeRequester, uploader, spec.pod.namespace, spec.pod.name, volume].join('/'),
    tags: { 'snapshot-requester': podVolumeRequester, 'snapshot-uploader': uploader },
  };
}
