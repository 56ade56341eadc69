import {
  claimNameOf,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaimType,
  podType,
  type Volume,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, readObject } from '@lateen/kube';
import { type PodVolume, podVolumesForFsBackup } from '@lateen/volume-policies';
import type { PodVolumeReference } from './volume-reference.ts';

/**
 * Reads a pod's volume that will be uploaded through the pod.
 * @throws AppError POD_NOT_FOUND | VOLUME_NOT_FOUND | VOLUME_NOT_READY naming pod and volume, and why it cannot be read
 */
export async function findPodVolume(
  kube: KubeApi,
  { namespace, pod: name, volume: wanted }: PodVolumeReference,
  signal: AbortSignal,
): Promise<PodVolume> {
  const pod = await readObject(kube, podType, { namespace, name }, signal);
  if (pod === undefined)
    throw new AppError('POD_NOT_FOUND', `Pod ${namespace}/${name} does not exist`, {
      nextStep: `List the pods with: kubectl get pods -n ${namespace}`,
    });
  const volumes = pod.spec.volumes ?? [];
  const volume = volumes.find((each) => each.name === wanted);
  if (volume === undefined)
    throw new AppError('VOLUME_NOT_FOUND', `Pod ${namespace}/${name} has no volume "${wanted}"`, {
      nextStep: `It has: ${volumes.map((each) => each.name).join(', ') || 'none'}.`,
    });
  const claimName = claimNameOf(name, volume);
  const claim =
    claimName === undefined
      ? undefined
      : await readObject(kube, persistentVolumeClaimType, { namespace, name: claimName }, signal);
  const why = whyNot(pod, volume, claim);
  if (why === undefined) return { pod, volume, claim };
  throw new AppError('VOLUME_NOT_READY', `volume "${wanted}" of Pod ${namespace}/${name} cannot be read: ${why}`, {
    ...(claimName === undefined
      ? {}
      : { nextStep: `A snapshot may do: lateen volume upload ${namespace}/${claimName}` }),
  });
}

/** Why the volume cannot be read, by the rules of a backup that reads all volumes through the file system. */
function whyNot(pod: Pod, { name }: Volume, claim: PersistentVolumeClaim | undefined): string | undefined {
  const { phase = 'Pending' } = pod.status ?? {};
  if (phase !== 'Running') return `the pod is ${phase}, not Running`;
  const { refused, skipped } = podVolumesForFsBackup({
    // Annotations choose volumes for backups; here the user has chosen.
    pod: { ...pod, metadata: { ...pod.metadata, annotations: {} } },
    spec: { defaultVolumesToFsBackup: true },
    policies: [],
    claimed: () => (claim === undefined ? undefined : { pvc: claim }),
    claimsExcluded: false,
  });
  return [...refused, ...skipped].find(({ volume }) => volume === name)?.reason;
}
