import { getValidName, labels, type PodVolumeRestore, podType, podVolumeRestoreType } from '@lateen/api-types';
import { eachAtOnce } from '@lateen/kernel';
import { listIfServed, readObject } from '@lateen/kube';
import { eventRecorder } from '@lateen/kube-runtime';
import type { RestoreOperationContext } from '../../contract/restore-item-action.ts';
import { ofRestore } from '../../restore-csi/restore-labels.ts';
import { failureOf, lostVolumes, tellOfLostVolumes } from './failed-pod-volumes.ts';

const atOnceMax = 16;

/**
 * Tells of all pods that wait in vain for volumes of this restore; those for which something is under way are left for later. For a restore
 * that ends, and with `podUid` for one pod. Safe to repeat.
 * @returns how many it has told of
 */
export async function tellPodsOfLostVolumes(
  context: RestoreOperationContext,
  signal: AbortSignal,
  podUid?: string,
): Promise<number> {
  const { kube, clock, random, log, restore, veleroNamespace: namespace } = context;
  const ofPod = podUid === undefined ? '' : `,${labels.podUid}=${getValidName(podUid)}`;
  const options = { namespace, labelSelector: `${ofRestore(restore)}${ofPod}`, signal };
  const byPod = Map.groupBy(await listIfServed(kube, podVolumeRestoreType, options), ({ spec }) => spec.pod.uid ?? '');
  const failed = [...byPod.values()].filter((restores) => restores.some((each) => failureOf(each) !== undefined));
  if (failed.length === 0) return 0;
  let told = 0;
  const events = eventRecorder({ api: kube, clock, random, log, component: 'lateen-controller', host: '' });
  await eachAtOnce(failed, atOnceMax, async (restores) => {
    const pod = await podOf(restores, context, signal);
    const lost = pod === undefined ? [] : lostVolumes(pod, restores);
    if (pod === undefined || lost.length === 0) return;
    await tellOfLostVolumes({ kube, events }, { restore, pod, lost }, signal);
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
