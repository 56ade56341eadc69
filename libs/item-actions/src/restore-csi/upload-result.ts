import {
  annotations,
  type DataUpload,
  dataUploadType,
  type NodeOS,
  type PersistentVolumeClaim,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { keyOf, keyText, parseKey } from '@lateen/kube';
import type { RestoreActionContext } from '../contract/restore-item-action.ts';

/**
 * What a restore needs to know of an upload; the value of a DataUploadResult ConfigMap (api.md section 17.7). Sizes are bytes.
 */
export interface DataUploadResult {
  backupStorageLocation: string;
  datamover?: string;
  snapshotID: string;
  sourceNamespace: string;
  dataMoverResult?: Record<string, string>;
  nodeOS?: NodeOS;
  snapshotSize?: number;
}

/**
 * The upload that the stored claim names; undefined for a claim whose data was not moved.
 * @throws AppError DATA_NOT_IN_BACKUP: the data is missing, and an empty volume must not be taken for it
 */
export async function uploadOf(
  claim: PersistentVolumeClaim,
  { backup, archived }: Pick<RestoreActionContext, 'backup' | 'archived'>,
  signal: AbortSignal,
): Promise<DataUpload | undefined> {
  const named = claim.metadata.annotations?.[annotations.dataUploadName] ?? '';
  if (backup.spec.snapshotMoveData !== true || named === '') return undefined;
  const { group, resource } = dataUploadType;
  const { namespace = '', name } = parseKey(named);
  const upload = (await archived({ group, resource, namespace, name }, signal)) as DataUpload | undefined;
  const snapshotID = upload?.status?.snapshotID ?? '';
  if (upload !== undefined && upload.status?.phase === 'Completed' && snapshotID !== '') return upload;
  throw notInBackup(claim, named, upload);
}

function notInBackup(claim: PersistentVolumeClaim, named: string, upload: DataUpload | undefined): AppError {
  const { phase = 'New', message = '' } = upload?.status ?? {};
  const is = upload === undefined ? 'is not in the backup' : `is ${phase}${message === '' ? '' : `: ${message}`}`;
  return new AppError(
    'DATA_NOT_IN_BACKUP',
    `the data of PVC ${keyText(keyOf(claim))} is not in the backup: DataUpload ${named} ${is}`,
    {
      nextStep:
        'Restore from a backup that has the data; with restorePVs false the claim is restored with an empty volume.',
    },
  );
}

export function resultOf({ spec, status }: DataUpload): DataUploadResult {
  const { datamover } = spec;
  const { dataMoverResult, nodeOS, progress } = status ?? {};
  const size = progress?.totalBytes ?? 0;
  return {
    backupStorageLocation: spec.backupStorageLocation,
    ...(datamover ? { datamover } : {}),
    snapshotID: status?.snapshotID ?? '',
    sourceNamespace: spec.sourceNamespace,
    ...(dataMoverResult ? { dataMoverResult } : {}),
    ...(nodeOS ? { nodeOS } : {}),
    ...(size > 0 ? { snapshotSize: size } : {}),
  };
}
