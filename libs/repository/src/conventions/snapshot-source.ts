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
): SnapshotIdentity {
  return {
    path: `${requester}/kopia/${sourceNamespace}/${sourcePVC}`,
    tags: {
      'snapshot-requester': requester,
      'snapshot-uploader': 'kopia',
      ...(asyncOperationId === undefined || asyncOperationId === ''
        ? {}
        : { 'velero.io/async-operation-id': asyncOperationId }),
    },
  };
}
