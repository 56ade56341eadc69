import { type DataUpload, dataUploadType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi } from '@lateen/kube';

/** The source of a restore: a snapshot in a repository, and the known facts of its volume. */
export interface DownloadSource {
  snapshotId: string;
  sourceNamespace: string;
  storageLocation: string;
  snapshotSizeBytes?: number | undefined;
  storageClass?: string | undefined;
  sourcePvc?: string | undefined;
  /** The engine that created the snapshot, if the upload named one; no other engine can restore it. */
  uploaderType?: string | undefined;
}

/** Reads the source from a completed DataUpload. @throws AppError UPLOAD_NOT_FOUND | UPLOAD_NOT_COMPLETED with its phase and message */
export async function sourceOfUpload(
  kube: KubeApi,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<DownloadSource> {
  const upload = await kube.get(dataUploadType, { namespace, name }, { signal }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new AppError('UPLOAD_NOT_FOUND', `DataUpload ${namespace}/${name} does not exist`, {
      cause: error,
      nextStep: 'List them with: lateen volume list, or name the snapshot with --snapshot-id.',
    });
  });
  return sourceOf(upload);
}

export function sourceOf(upload: DataUpload): DownloadSource {
  const { name, namespace } = upload.metadata;
  const snapshotId = upload.status?.snapshotID;
  if (upload.status?.phase !== 'Completed' || snapshotId === undefined || snapshotId === '')
    throw new AppError(
      'UPLOAD_NOT_COMPLETED',
      `DataUpload ${namespace}/${name} is ${upload.status?.phase ?? 'New'}${upload.status?.message ? ` (${upload.status.message})` : ''}, so there is nothing to download`,
      { nextStep: 'Wait until it is Completed, or choose another.' },
    );
  return {
    snapshotId,
    sourceNamespace: upload.spec.sourceNamespace,
    storageLocation: upload.spec.backupStorageLocation,
    snapshotSizeBytes: upload.status.progress?.totalBytes,
    storageClass: upload.spec.csiSnapshot?.storageClass,
    sourcePvc: upload.spec.sourcePVC,
    uploaderType: upload.spec.dataMoverConfig?.UploaderType,
  };
}
