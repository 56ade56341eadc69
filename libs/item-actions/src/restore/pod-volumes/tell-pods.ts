import {
  getValidName,
  labels,
  type Pod,
  type PodVolumeRestore,
  podType,
  podVolumeRestoreType,
} from '@lateen/api-types';
import { eachAtOnce } from '@lateen/kernel';
import { listAll, listIfServed } from '@lateen/kube';
import { type EventRecorder, eventRecorder } from '@lateen/kube-runtime';
import type { RestoreOperationContext } from '../../contract/restore-item-action.ts';
import { ofRestore } from '../../restore-csi/restore-labels.ts';
import { tellOfLostVolumes, tellOfRestoredVolumes } from './failed-pod-volumes.ts';
import { lostVolumes } from './lost-volumes.ts';

const atOnceMax = 16;

/** Of Events about pods. */
export const recorderOf = ({ kube: api, clock, random, log }: RestoreOperationContext): EventRecorder =>
  eventRecorder({ api, clock, random, log, component: 'lateen-controller', host: '' });

/**
 * Tells a pod what became of the volumes that it waits for, once nothing is under way for it any more. Safe to repeat.
 * @param restores those of the restore in its namespace
 * @returns whether there was something to tell
 */
export async function tellPod(
  { kube, restore, events }: Pick<RestoreOperationContext, 'kube' | 'restore'> & { events: EventRecorder },
  pod: Pod,
  restores: readonly PodVolumeRestore[],
  signal: AbortSignal,
): Promise<boolean> {
  const lost = lostVolumes(pod, restores);
  if (lost === undefined) return false;
  if (lost.length === 0) await tellOfRestoredVolumes(kube, { restore, pod }, signal);
  else await tellOfLostVolumes({ kube, events }, { restore, pod, lost }, signal);
  return true;
}

/** The same for all pods of a restore: when it ends before they have their volumes. */
export async function tellPodsOfVolumes(context: RestoreOperationContext, signal: AbortSignal): Promise<void> {
  const { kube, restore, veleroNamespace: namespace } = context;
  const options = { namespace, labelSelector: ofRestore(restore), signal };
  const restores = await listIfServed(kube, podVolumeRestoreType, options);
  if (restores.length === 0) return;
  const byNamespace = Map.groupBy(restores, ({ spec }) => spec.pod.namespace ?? '');
  const events = recorderOf(context);
  const labelSelector = `${labels.restoreName}=${getValidName(restore.metadata.name ?? '')}`;
  for (const [ofPods, some] of byNamespace) {
    const { items } = await listAll(kube, podType, { namespace: ofPods, labelSelector, signal });
    await eachAtOnce(
      items,
      atOnceMax,
      async (pod) => void (await tellPod({ kube, restore, events }, pod, some, signal)),
    );
  }
  await events.flush(signal);
}
