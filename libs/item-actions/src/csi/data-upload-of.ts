import {
  type Backup,
  type DataUpload,
  dataUploadType,
  getValidName,
  labels,
  parentSnapshotOf,
} from '@lateen/api-types';
import { createGenerated, ownerReferenceTo } from '@lateen/kube';
import { type TakenSnapshot, uploadSpec } from '@lateen/volume-snapshots';
import type { ActionContext } from '../contract/action-context.ts';
import { labelsOf } from './backup-labels.ts';
import type { ClaimStorage } from './claim-storage.ts';

/** The operation ID of a DataUpload; two UIDs are too long for a label, so it is shortened like label values. */
export const uploadOperationId = (backup: Backup, claim: ClaimStorage['claim']): string =>
  getValidName(`du-${backup.metadata.uid ?? ''}.${claim.metadata.uid ?? ''}`);

export interface UploadOrder {
  storage: ClaimStorage;
  taken: TakenSnapshot;
  /** A Go duration. */
  operationTimeout: string;
  dataMover: string | undefined;
}

/** Creates the DataUpload for the snapshot; its data mover owns the snapshot from then on (data-movement.md section 2). */
export async function createDataUpload(
  order: UploadOrder,
  context: ActionContext,
  signal: AbortSignal,
): Promise<DataUpload> {
  return await createGenerated(context, dataUploadType, dataUploadFor(order, context), signal);
}

export function dataUploadFor(
  { storage, taken, operationTimeout, dataMover }: UploadOrder,
  { backup, veleroNamespace }: Pick<ActionContext, 'backup' | 'veleroNamespace'>,
): DataUpload {
  const files = backup.spec.uploaderConfig?.parallelFilesUpload ?? 0;
  return {
    apiVersion: `${dataUploadType.group}/${dataUploadType.version}`,
    kind: 'DataUpload',
    metadata: {
      generateName: `${backup.metadata.name}-`,
      namespace: veleroNamespace,
      labels: {
        ...labelsOf(backup),
        [labels.pvcUid]: storage.claim.metadata.uid ?? '',
        [labels.asyncOperationId]: uploadOperationId(backup, storage.claim),
      },
      ownerReferences: [ownerReferenceTo(backup, { controller: true })],
    },
    spec: uploadSpec({
      claim: storage.claim,
      snapshot: taken.snapshot.metadata.name ?? '',
      snapshotClass: taken.snapshot.spec.volumeSnapshotClassName,
      storageClass: storage.storageClass,
      driver: storage.driver,
      storageLocation: backup.spec.storageLocation ?? '',
      operationTimeout,
      dataMover: dataMover || backup.spec.datamover,
      dataMoverConfig: files > 0 ? { ParallelFilesUpload: String(files) } : {},
      ...parentSnapshotOf(backup.spec.backupType),
    }),
  };
}
