import { labels, type PodVolumeRestore, podVolumeRestoreType } from '@lateen/api-types';
import { createGenerated, listAll } from '@lateen/kube';
import type { RestoreActionContext } from '../../contract/restore-item-action.ts';
import { perRestore } from '../../per-run.ts';
import { ofRestore } from '../../restore-csi/restore-labels.ts';
import { type PodVolumeOrder, podVolumeOperationId, podVolumeRestoreFor } from './pod-volume-restore-of.ts';

/** The PodVolumeRestore of an order: the one that an earlier attempt of the restore has made, or a new one. */
export type EnsurePodVolumeRestore = (
  order: PodVolumeOrder,
  context: RestoreActionContext,
  signal: AbortSignal,
) => Promise<PodVolumeRestore>;

/** Those of a restore are listed once. */
export function ensurePodVolumeRestores(): EnsurePodVolumeRestore {
  const known = perRestore(async ({ kube, restore, veleroNamespace: namespace }, signal) => {
    const options = { namespace, labelSelector: ofRestore(restore), signal };
    const { items } = await listAll(kube, podVolumeRestoreType, options);
    return new Map(items.map((each) => [each.metadata.labels?.[labels.asyncOperationId] ?? '', each]));
  });
  return async (order, context, signal) => {
    const operationId = podVolumeOperationId(context.restore, order.pod, order.stored.volume);
    const made = (await known(context, signal)).get(operationId);
    return made ?? (await createGenerated(context, podVolumeRestoreType, podVolumeRestoreFor(order, context), signal));
  };
}
