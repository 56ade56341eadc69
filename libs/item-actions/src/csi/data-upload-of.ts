import {
  annotations,
  type Backup,
  type DataUpload,
  dataUploadType,
  getValidName,
  labels,
  parentSnapshotOf,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
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
      dataMoverConfig: moverConfigOf(backup),
      ...parentSnapshotOf(backup.spec.backupType),
    }),
  };
}

/**
 * The settings of the data mover for all volumes of a backup: those of its annotation, and the number of files.
 * @throws AppError BACKUP_ANNOTATION_INVALID
 */
export function moverConfigOf({ metadata, spec }: Backup): Record<string, string> {
  const files = spec.uploaderConfig?.parallelFilesUpload ?? 0;
  const text = metadata.annotations?.[annotations.dataMoverConfig] ?? '';
  const pairs = text.split(',').filter((each) => each.trim() !== '');
  return {
    ...Object.fromEntries(pairs.map((pair) => settingOf(pair, text))),
    ...(files > 0 ? { ParallelFilesUpload: String(files) } : {}),
  };
}

function settingOf(pair: string, text: string): [string, string] {
  const [, key, value] = /^\s*(\w+)\s*=\s*(\S+)\s*$/.exec(pair) ?? [];
  if (key !== undefined && value !== undefined) return [key, value];
  throw new AppError(
    'BACKUP_ANNOTATION_INVALID',
    `annotation ${annotations.dataMoverConfig} ${JSON.stringify(text)} of the Backup is not a list of settings`,
    { nextStep: 'Write KEY=VALUE, several separated by commas: KeepBaseSnapshot=true.' },
  );
}
