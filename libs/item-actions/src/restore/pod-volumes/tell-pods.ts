import { getValidName, labels, type PodVolumeRestore, podType, podVolumeRestoreType } from '@lateen/api-types';
import { eachAtOnce } from '@lateen/kernel';
import { listIfServed, readObject } from '@lateen/kube';
import { eventRecorder } from '@lateen/kube-runtime';
import type { RestoreOperationContext } from '../../contract/restore-item-action.ts';
import { ofRestore } from '../../restore-csi/restore-labels.ts';
import { failureOf, lostVolumes, tellOfLostVolumes, tellOfRestoredVolumes } from './failed-pod-volumes.ts';

const atOnceMax = 16;

/**
 * Tells all pods that wait for volumes of this restore what became of these, once nothing is under way for them any more. With `podUid` one pod, else
 * all that have lost one: for a restore that ends. Safe to repeat.
 * @returns how many it has told
 */
export async function tellPodsOfVolumes(
  context: RestoreOperationContext,
  signal: AbortSignal,
  podUid?: string,
): Promise<number> {
  const { kube, clock, random, log, restore, veleroNamespace: namespace } = context;
  const ofPod = podUid === undefined ? '' : `,${labels.podUid}=${getValidName(podUid)}`;
  const options = { namespace, labelSelector: `${ofRestore(restore)}${ofPod}`, signal };
  const byPod = Map.groupBy(await listIfServed(kube, podVolumeRestoreType, options), ({ spec }) => spec.pod.uid ?? '');
  const isLost = (restores: readonly PodVolumeRestore[]) => restores.some((each) => failureOf(each) !== undefined);
  const pods = [...byPod.values()].filter((restores) => podUid !== undefined || isLost(restores));
  if (pods.length === 0) return 0;
  let told = 0;
  const events = eventRecorder({ api: kube, clock, random, log, component: 'lateen-controller', host: '' });
  await eachAtOnce(pods, atOnceMax, async (restores) => {
    const pod = await podOf(restores, context, signal);
    const lost = pod === undefined ? undefined : lostVolumes(pod, restores);
    if (pod === undefined || lost === undefined) return;
    if (lost.length === 0) await tellOfRestoredVolumes(kube, { restore, pod }, signal);
    else await tellOfLostVolumes({ kube, events }, { restore, pod, lost }, signal);
    told += 1;
  });
  await events.flush(signal);
  return told;
}

async function podOf(
  [first]: readonly PodVolumeRestore[],
  { kube }: Pick<RestoreOperationContext, 'kube'>,
  signal: AbortSignal,
) {
  const { namespace = '', name = '', uid } = first?.spec.pod ?? {};
  const pod = await readObject(kube, podType, { namespace, name }, signal);
  return pod?.metadata.uid === uid ? pod : undefined;
}
