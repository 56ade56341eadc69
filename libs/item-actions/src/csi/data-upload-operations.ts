import { type DataUpload, dataUploadType, isTerminalPhase, labels } from '@lateen/api-types';
import { isNotFound, keyOf, keyText } from '@lateen/kube';
import { reflect } from '@lateen/kube-runtime';
import type { OperationContext } from '../contract/backup-item-action.ts';
import type { OperationProgress } from '../contract/operation-progress.ts';
import { selectorOf } from './backup-labels.ts';

/** How far a DataUpload is (data-movement.md section 2). */
export function progressOf({ status }: DataUpload): OperationProgress {
  const { phase = 'New', progress, message, startTimestamp, completionTimestamp } = status ?? {};
  if (phase === 'New') return { completed: false };
  return {
    completed: isTerminalPhase(phase),
    ...(phase === 'Failed' ? { error: message || 'the DataUpload failed without saying why' } : {}),
    ...(phase === 'Canceled' ? { error: 'DataUpload is canceled' } : {}),
    description: phase,
    units: 'Bytes',
    nCompleted: progress?.bytesDone ?? 0,
    nTotal: progress?.totalBytes ?? 0,
    ...(startTimestamp ? { startedAt: startTimestamp } : {}),
    ...(completionTimestamp ? { updatedAt: completionTimestamp } : {}),
  };
}

export async function uploadProgress(
  operationId: string,
  context: OperationContext,
  signal: AbortSignal,
): Promise<OperationProgress> {
  const uploads = await uploadsOf(operationId, context, signal);
  const [upload, ...others] = uploads;
  if (upload === undefined)
    return { completed: true, error: `there is no DataUpload with the operation ${operationId}` };
  if (others.length > 0) {
    const names = uploads.map((each) => keyText(keyOf(each))).join(', ');
    return { completed: true, error: `more than one DataUpload has the operation ${operationId}: ${names}` };
  }
  return progressOf(upload);
}

/** Sets spec.cancel, which works in every phase. */
export async function cancelUpload(operationId: string, context: OperationContext, signal: AbortSignal): Promise<void> {
  const { kube } = context;
  for (const upload of await uploadsOf(operationId, context, signal)) {
    if (isTerminalPhase(upload.status?.phase) || upload.spec.cancel === true) continue;
    try {
      await kube.patch(dataUploadType, keyOf(upload), { type: 'merge', body: { spec: { cancel: true } } }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** One watch of the DataUploads of the backup; keeps none of them. */
export async function watchUploads(
  { backup, kube, clock, random, log, veleroNamespace }: OperationContext,
  onChange: (operationId: string, progress: OperationProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const tell = (upload: DataUpload, progress: OperationProgress) => {
    const operationId = upload.metadata.labels?.[labels.asyncOperationId];
    if (operationId !== undefined) onChange(operationId, progress);
  };
  await reflect<DataUpload>(
    {
      api: kube,
      type: dataUploadType,
      namespace: veleroNamespace,
      labelSelector: selectorOf(backup),
      clock,
      random,
      log,
      transform: withoutSpec,
    },
    {
      replace: (uploads) => {
        for (const upload of uploads) tell(upload, progressOf(upload));
      },
      apply: ({ type, object }) => tell(object, type === 'DELETED' ? progressOfDeleted(object) : progressOf(object)),
    },
    signal,
  );
}

function progressOfDeleted(upload: DataUpload): OperationProgress {
  const last = progressOf(upload);
  if (last.completed) return last;
  return { ...last, completed: true, error: `DataUpload ${keyText(keyOf(upload))} was deleted` };
}

/** What a list of many has to hold at once. */
const withoutSpec = ({ apiVersion, kind, metadata, status }: DataUpload): DataUpload => {
  const { namespace = '', name = '', resourceVersion = '', labels: own = {} } = metadata;
  const kept = { namespace, name, resourceVersion, labels: own };
  return {
    apiVersion,
    kind,
    metadata: kept,
    spec: {} as DataUpload['spec'],
    ...(status === undefined ? {} : { status }),
  };
};

async function uploadsOf(
  operationId: string,
  { kube, veleroNamespace }: OperationContext,
  signal: AbortSignal,
): Promise<DataUpload[]> {
  const labelSelector = `${labels.asyncOperationId}=${operationId}`;
  const { items } = await kube.list(dataUploadType, { namespace: veleroNamespace, labelSelector, signal });
  return items;
}
