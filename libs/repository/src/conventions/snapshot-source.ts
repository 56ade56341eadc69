import { kopiaRepositoryType, type RepositoryType } from './repository-names.ts';

const requester = 'snapshot-data-upload-download';

/** What a snapshot is filed under inside the repository: with it kopia finds the parent of the next one. */
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
