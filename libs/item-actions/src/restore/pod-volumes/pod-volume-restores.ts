import { annotations, labels, type PodVolumeRestore, podVolumeRestoreType } from '@lateen/api-types';
import { createGenerated, listAll } from '@lateen/kube';
import type { RestoreActionContext } from '../../contract/restore-item-action.ts';
import { perRestore } from '../../per-run.ts';
import { ofRestore } from '../../restore-csi/restore-labels.ts';
import { type PodVolumeOrder, podVolumeOperationId, podVolumeRestoreFor } from './pod-volume-restore-of.ts';

/**
 * The PodVolumeRestore of an order: the one that an earlier attempt of the restore has created, or a new one. A claim that
 * several pods mount is restored once, through the pod that is created first; that pod is in `spec.pod`.
 */
export type EnsurePodVolumeRestore = (
  order: PodVolumeOrder,
  context: RestoreActionContext,
  signal: AbortSignal,
) => Promise<PodVolumeRestore>;

/** The PodVolumeRestores of a restore are listed once. */
export function ensurePodVolumeRestores(): EnsurePodVolumeRestore {
  const known = perRestore(async ({ kube, restore, veleroNamespace: namespace }, signal) => {
    const options = { namespace, labelSelector: ofRestore(restore), signal };
    const { items } = await listAll(kube, podVolumeRestoreType, options);
    return new Map(items.map((each) => [keyOfMade(each), Promise.resolve(each)]));
  });
  return async (order, context, signal) => {
    const all = await known(context, signal);
    const key = keyOfOrder(order, context);
    const made = all.get(key);
    if (made !== undefined && !isOfPodBefore(await made, order)) return await made;
    const making = createGenerated(context, podVolumeRestoreType, podVolumeRestoreFor(order, context), signal);
    all.set(key, making);
    // The next pod that mounts the claim tries again.
    making.catch(() => {
      if (all.get(key) === making) all.delete(key);
    });
    return await making;
  };
}

function keyOfOrder({ pod, stored }: PodVolumeOrder, { restore }: RestoreActionContext): string {
  if (stored.claim !== undefined) return `${pod.metadata.namespace}/${stored.claim}`;
  return podVolumeOperationId(restore, pod, stored.volume);
}

function keyOfMade({ metadata, spec }: PodVolumeRestore): string {
  const claim = metadata.annotations?.[annotations.pvcName];
  return claim === undefined ? (metadata.labels?.[labels.asyncOperationId] ?? '') : `${spec.pod.namespace}/${claim}`;
}

/** The pod was deleted since, and the restore has created it again. */
const isOfPodBefore = ({ spec }: PodVolumeRestore, { pod }: PodVolumeOrder): boolean =>
  spec.pod.name === pod.metadata.name && spec.pod.uid !== pod.metadata.uid;
