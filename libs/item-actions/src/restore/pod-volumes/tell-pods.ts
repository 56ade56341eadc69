import { getValidName, labels, type Pod, podType, podVolumeRestoreType } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { eachAtOnce } from '@lateen/kernel';
import { keyOf, keyText, listAll, listIfServed } from '@lateen/kube';
import { type EventRecorder, eventRecorder } from '@lateen/kube-runtime';
import type { RestoreOperationContext } from '../../contract/restore-item-action.ts';
import { ofRestore } from '../../restore-csi/restore-labels.ts';
import { tellOfLostVolumes, tellOfRestoredVolumes } from './failed-pod-volumes.ts';
import { lostVolumes, type VolumeNews } from './lost-volumes.ts';
import { MadeRestores } from './made-restores.ts';

const atOnceMax = 16;

/** Records Events about pods. */
export const recorderOf = ({ kube: api, clock, random, log }: RestoreOperationContext): EventRecorder =>
  eventRecorder({ api, clock, random, log, component: 'lateen-controller', host: '' });

type TellPorts = Pick<RestoreOperationContext, 'kube' | 'restore' | 'log'> & { events: EventRecorder };

/**
 * The result of notifying a pod: there is nothing to report yet; the next try may succeed; the pod was notified, or never can be.
 */
export type Told = 'nothing yet' | 'not now' | 'told';

/**
 * Notifies pods of the result of the volumes that they wait for, each once no movement for the pod is running. A failure is
 * logged, and the other pods are still notified. Safe to repeat.
 * @returns in the order of the pods
 */
export async function tellPods(
  ports: TellPorts,
  pods: readonly Pod[],
  news: VolumeNews,
  signal: AbortSignal,
): Promise<Told[]> {
  const told: Told[] = pods.map(() => 'nothing yet');
  await eachAtOnce([...pods.entries()], atOnceMax, async ([at, pod]) => {
    told[at] = await tellPod(ports, pod, news, signal);
  });
  await ports.events.flush(signal);
  return told;
}

async function tellPod(
  { kube, restore, events, log }: TellPorts,
  pod: Pod,
  news: VolumeNews,
  signal: AbortSignal,
): Promise<Told> {
  const lost = lostVolumes(pod, news);
  if (lost === undefined) return 'nothing yet';
  try {
    if (lost.length === 0) await tellOfRestoredVolumes(kube, { restore, pod }, signal);
    else await tellOfLostVolumes({ kube, events }, { restore, pod, lost }, signal);
    return 'told';
  } catch (error) {
    signal.throwIfAborted();
    const fields = { restore: restore.metadata.name, pod: keyText(keyOf(pod)), err: error };
    log.warn(fields, 'a pod cannot be notified of the results of the volumes that it waits for');
    return isAppError(error) && error.retry === 'never' ? 'told' : 'not now';
  }
}

/** Notifies all pods of a restore, when the restore ends before they have their volumes. */
export async function tellPodsOfVolumes(context: RestoreOperationContext, signal: AbortSignal): Promise<void> {
  const { kube, restore, veleroNamespace: namespace } = context;
  const options = { namespace, labelSelector: ofRestore(restore), signal };
  const restores = await listIfServed(kube, podVolumeRestoreType, options);
  if (restores.length === 0) return;
  const made = new MadeRestores(restores);
  const events = recorderOf(context);
  const labelSelector = `${labels.restoreName}=${getValidName(restore.metadata.name ?? '')}`;
  for (const ofPods of new Set(restores.map(({ spec }) => spec.pod.namespace ?? ''))) {
    const { items } = await listAll(kube, podType, { namespace: ofPods, labelSelector, signal });
    await tellPods({ ...context, events }, items, { made }, signal);
  }
}
