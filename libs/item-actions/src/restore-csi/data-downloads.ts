import {
  type DataDownload,
  dataDownloadType,
  isTerminalPhase,
  labels,
  persistentVolumeClaimType,
} from '@lateen/api-types';
import { createGenerated, deleteIfThere, isNotFound, keyOf, listAll, readObject } from '@lateen/kube';
import type { RestoreActionContext } from '../contract/restore-item-action.ts';
import { perRestore } from '../per-run.ts';
import { type DownloadOrder, dataDownloadFor, downloadOperationId } from './data-download-of.ts';
import { ofRestore } from './restore-labels.ts';

/** The DataDownloads of a restore, by operation: those of an earlier attempt of the restore are found and used again. */
export interface DataDownloads {
  /** The DataDownload of this claim, if it can be used: for a claim that does not exist yet, an ended or canceled one cannot. */
  find(
    operationId: string,
    options: { isTargetThere: boolean },
    context: RestoreActionContext,
    signal: AbortSignal,
  ): Promise<DataDownload | undefined>;
  /** Creates a DataDownload; replaces one that cannot be used. */
  create(order: DownloadOrder, context: RestoreActionContext, signal: AbortSignal): Promise<DataDownload>;
  /** Cancels those whose claim was not created, for whatever reason: otherwise only their timeout would end them. */
  cancelThoseWithoutClaim(context: RestoreActionContext, signal: AbortSignal): Promise<void>;
}

export function dataDownloads(): DataDownloads {
  const known = perRestore(async ({ kube, restore, veleroNamespace }, signal) => {
    const options = { namespace: veleroNamespace, labelSelector: ofRestore(restore), signal };
    const { items } = await listAll(kube, dataDownloadType, options);
    return new Map(items.map((each) => [each.metadata.labels?.[labels.asyncOperationId] ?? '', each]));
  });
  return {
    find: async (operationId, { isTargetThere }, context, signal) => {
      const made = (await known(context, signal)).get(operationId);
      return made === undefined || (!isTargetThere && isOver(made)) ? undefined : made;
    },
    create: async (order, context, signal) => {
      const { kube, restore } = context;
      const byOperation = await known(context, signal);
      const operationId = downloadOperationId(restore, order.stored);
      const useless = byOperation.get(operationId);
      if (useless !== undefined) await deleteIfThere(kube, dataDownloadType, useless, signal);
      const made = await createGenerated(context, dataDownloadType, dataDownloadFor(order, context), signal);
      byOperation.set(operationId, made);
      return made;
    },
    cancelThoseWithoutClaim: async (context, signal) => {
      for (const made of (await known(context, signal)).values()) {
        if (!isOver(made) && !(await hasTarget(made, context, signal))) await cancel(made, context, signal);
      }
    },
  };
}

const isOver = ({ spec, status, metadata }: DataDownload): boolean =>
  isTerminalPhase(status?.phase) || spec.cancel === true || metadata.deletionTimestamp !== undefined;

async function hasTarget(
  { spec: { targetVolume } }: DataDownload,
  { kube }: RestoreActionContext,
  signal: AbortSignal,
): Promise<boolean> {
  const key = { namespace: targetVolume.namespace, name: targetVolume.pvc };
  return (await readObject(kube, persistentVolumeClaimType, key, signal)) !== undefined;
}

async function cancel(made: DataDownload, { kube }: RestoreActionContext, signal: AbortSignal): Promise<void> {
  try {
    const body = { spec: { cancel: true } };
    await kube.patch(dataDownloadType, keyOf(made), { type: 'merge', body }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
