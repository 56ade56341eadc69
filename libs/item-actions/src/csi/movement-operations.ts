import {
  type DataDownload,
  type DataUpload,
  dataDownloadType,
  dataUploadType,
  isTerminalPhase,
  labels,
  type PodVolumeRestore,
  type ResourceType,
} from '@lateen/api-types';
import { isNotFound, keyOf, keyText } from '@lateen/kube';
import { reflect } from '@lateen/kube-runtime';
import type { OperationContext } from '../contract/backup-item-action.ts';
import type { OperationProgress } from '../contract/operation-progress.ts';
import type { RestoreOperationContext } from '../contract/restore-item-action.ts';
import { ofRestore } from '../restore-csi/restore-labels.ts';
import { selectorOf } from './backup-labels.ts';

type Movement = DataUpload | DataDownload | PodVolumeRestore;

/** The ports that both contexts have. */
type Ports = Pick<OperationContext, 'kube' | 'clock' | 'random' | 'log' | 'veleroNamespace'>;

export type Operations<C> = {
  progress(operationId: string, context: C, signal: AbortSignal): Promise<OperationProgress>;
  cancel(operationId: string, context: C, signal: AbortSignal): Promise<void>;
  watchOperations(
    context: C,
    onChange: (operationId: string, progress: OperationProgress) => void,
    signal: AbortSignal,
  ): Promise<void>;
};

/** For a backup that moves data. */
export const uploadOperations: Operations<OperationContext> = movementOperations(dataUploadType, ({ backup }) =>
  selectorOf(backup),
);

/** For a restore whose data is in a repository. */
export const downloadOperations: Operations<RestoreOperationContext> = movementOperations(
  dataDownloadType,
  ({ restore }) => ofRestore(restore),
);

/** Movements as operations of the items whose data they move. @param selectorFor finds all of one run */
export function movementOperations<T extends Movement, C extends Ports>(
  type: ResourceType<T>,
  selectorFor: (context: C) => string,
): Operations<C> {
  const find = async (operationId: string, { kube, veleroNamespace }: C, signal: AbortSignal): Promise<T[]> => {
    const labelSelector = `${labels.asyncOperationId}=${operationId}`;
    return (await kube.list(type, { namespace: veleroNamespace, labelSelector, signal })).items;
  };
  return {
    progress: async (operationId, context, signal) => {
      const movements = await find(operationId, context, signal);
      const [movement, ...others] = movements;
      if (movement === undefined)
        return { completed: true, error: `there is no ${type.kind} with the operation ${operationId}` };
      if (others.length === 0) return progressOf(type.kind, movement);
      const names = movements.map((each) => keyText(keyOf(each))).join(', ');
      return { completed: true, error: `more than one ${type.kind} has the operation ${operationId}: ${names}` };
    },
    /** Sets spec.cancel, which works in every phase. */
    cancel: async (operationId, context, signal) => {
      for (const movement of await find(operationId, context, signal)) {
        if (isTerminalPhase(movement.status?.phase) || movement.spec.cancel === true) continue;
        const body = { spec: { cancel: true } };
        try {
          await context.kube.patch(type, keyOf(movement), { type: 'merge', body }, { signal });
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
      }
    },
    watchOperations: (context, onChange, signal) => watch(type, selectorFor(context), context, onChange, signal),
  };
}

/** The progress of a movement (data-movement.md section 2). */
export function progressOf(kind: string, { status }: Movement): OperationProgress {
  const { phase = 'New', progress, message, startTimestamp, completionTimestamp } = status ?? {};
  if (phase === 'New') return { completed: false };
  return {
    completed: isTerminalPhase(phase),
    ...(phase === 'Failed' ? { error: message || `the ${kind} failed without saying why` } : {}),
    ...(phase === 'Canceled' ? { error: `${kind} is canceled` } : {}),
    description: phase,
    units: 'Bytes',
    nCompleted: progress?.bytesDone ?? 0,
    nTotal: progress?.totalBytes ?? 0,
    ...(startTimestamp ? { startedAt: startTimestamp } : {}),
    ...(completionTimestamp ? { updatedAt: completionTimestamp } : {}),
  };
}

/** Watches the movements of a run; stores none of them. */
async function watch<T extends Movement>(
  type: ResourceType<T>,
  labelSelector: string,
  { kube, clock, random, log, veleroNamespace }: Ports,
  onChange: (operationId: string, progress: OperationProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const tell = (movement: T, progress: OperationProgress) => {
    const operationId = movement.metadata.labels?.[labels.asyncOperationId];
    if (operationId !== undefined) onChange(operationId, progress);
  };
  await reflect<T>(
    { api: kube, type, namespace: veleroNamespace, labelSelector, clock, random, log, transform: withoutSpec },
    {
      replace: (movements) => {
        for (const movement of movements) tell(movement, progressOf(type.kind, movement));
      },
      apply: ({ type: change, object }) =>
        tell(object, (change === 'DELETED' ? progressOfDeleted : progressOf)(type.kind, object)),
    },
    signal,
  );
}

function progressOfDeleted(kind: string, movement: Movement): OperationProgress {
  const last = progressOf(kind, movement);
  if (last.completed) return last;
  return { ...last, completed: true, error: `${kind} ${keyText(keyOf(movement))} was deleted` };
}

/** Reduces the memory of a long list. */
function withoutSpec<T extends Movement>({ apiVersion, kind, metadata, status }: T): T {
  const { namespace = '', name = '', resourceVersion = '', labels: own = {} } = metadata;
  const kept = { namespace, name, resourceVersion, labels: own };
  return { apiVersion, kind, metadata: kept, spec: {}, ...(status === undefined ? {} : { status }) } as T;
}
