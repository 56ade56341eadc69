import {
  claimNameOf,
  isMounted,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaimType,
  persistentVolumeType,
  type Volume,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, keyText, readObject } from '@lateen/kube';
import { readClientPod } from './client-pod.ts';
import type { PodVolumeExposeParam } from './pod-volume-expose-param.ts';

/** A volume of a pod, with its claim and PersistentVolume. */
export interface VolumeOfPod {
  pod: Pod;
  volume: Volume;
  /** Set when the volume comes from a claim. */
  bound?: { claim: PersistentVolumeClaim; persistentVolume: PersistentVolume };
}

/**
 * Reads the pod, and the claim and PersistentVolume of its volume, if it has these.
 * @throws EXPOSE_POD_…, EXPOSE_NO_SUCH_VOLUME, EXPOSE_VOLUME_NOT_MOUNTED, EXPOSE_NO_VOLUME, EXPOSE_BLOCK_VOLUME
 */
export async function readVolumeOfPod(
  kube: KubeApi,
  param: PodVolumeExposeParam,
  signal: AbortSignal,
): Promise<VolumeOfPod> {
  const { pod, volume } = await readClientPod(kube, param, signal);
  const claim = claimNameOf(param.pod.name, volume);
  const bound = claim === undefined ? undefined : await readBound(kube, param.pod.namespace, claim, signal);
  const is = `volume "${volume.name}" of pod ${keyText(param.pod)}`;
  if (bound?.persistentVolume.spec.volumeMode === 'Block')
    throw new AppError('EXPOSE_BLOCK_VOLUME', `${is} is a block device, which has no files`, {
      nextStep: 'Take it with a CSI snapshot and data movement instead.',
    });
  if (!isMounted(pod.spec, volume.name))
    throw new AppError('EXPOSE_VOLUME_NOT_MOUNTED', `${is} is mounted by none of its containers`, {
      nextStep: 'Leave it out: there is no data in it that the pod could have written.',
    });
  return { pod, volume, ...(bound === undefined ? {} : { bound }) };
}

async function readBound(
  kube: KubeApi,
  namespace: string,
  claimName: string,
  signal: AbortSignal,
): Promise<NonNullable<VolumeOfPod['bound']>> {
  const key = { namespace, name: claimName };
  const claim = await readObject(kube, persistentVolumeClaimType, key, signal);
  const name = claim?.spec.volumeName ?? '';
  const persistentVolume = name === '' ? undefined : await readObject(kube, persistentVolumeType, { name }, signal);
  if (claim === undefined || persistentVolume === undefined)
    throw new AppError('EXPOSE_NO_VOLUME', `PersistentVolumeClaim ${keyText(key)} has no volume`, {
      nextStep: 'Check the claim: the pod that mounts it cannot run without one.',
    });
  return { claim, persistentVolume };
}
