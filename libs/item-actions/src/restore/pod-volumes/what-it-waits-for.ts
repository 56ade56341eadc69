import { dataDownloadType, isTerminalPhase, labels, labelValues, type Pod, podType } from '@lateen/api-types';
import { listAll } from '@lateen/kube';
import type { RestoreOperationContext } from '../../contract/restore-item-action.ts';
import { claimsOf } from '../../pod-items.ts';
import { ofRestore } from '../../restore-csi/restore-labels.ts';

/** Whether somebody is on the node who restores volumes of pods there. */
export async function hasNodeAgent(
  node: string,
  { kube, veleroNamespace: namespace }: RestoreOperationContext,
  signal: AbortSignal,
): Promise<boolean> {
  const labelSelector = `${labels.role}=${labelValues.nodeAgent}`;
  const { items } = await listAll(kube, podType, { namespace, labelSelector, signal });
  return items.some(({ spec, status }) => spec.nodeName === node && status?.phase === 'Running');
}

/**
 * A pod cannot start before its other claims have their data, which a DataDownload brings: until when that was so, or is.
 * @returns the time of the day in ms; undefined when none of its claims gets data so
 */
export async function dataStillComes(
  pod: Pod,
  { kube, clock, restore, veleroNamespace: namespace }: RestoreOperationContext,
  signal: AbortSignal,
): Promise<number | undefined> {
  const claims = new Set(claimsOf(pod).map(({ name }) => name));
  if (claims.size === 0) return undefined;
  const { items } = await listAll(kube, dataDownloadType, { namespace, labelSelector: ofRestore(restore), signal });
  const ends = items
    .filter(({ spec: { targetVolume: to } }) => to.namespace === pod.metadata.namespace && claims.has(to.pvc))
    .map(({ status }) =>
      isTerminalPhase(status?.phase) ? Date.parse(status?.completionTimestamp ?? '') || 0 : clock.now(),
    );
  return ends.length === 0 ? undefined : Math.max(...ends);
}
