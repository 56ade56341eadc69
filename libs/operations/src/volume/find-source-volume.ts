import {
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  type StorageClass,
  storageClassType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi } from '@lateen/kube';
import type { VolumeReference } from './volume-reference.ts';

export interface SourceVolume {
  pvc: PersistentVolumeClaim;
  storageClass: StorageClass;
}

/** Reads a volume that will be uploaded. @throws AppError VOLUME_NOT_FOUND | VOLUME_NOT_READY naming the PVC and what it lacks */
export async function findSourceVolume(
  kube: KubeApi,
  volume: VolumeReference,
  signal: AbortSignal,
): Promise<SourceVolume> {
  const { namespace, pvc: name } = volume;
  const pvc = await kube.get(persistentVolumeClaimType, { namespace, name }, { signal }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new AppError('VOLUME_NOT_FOUND', `PersistentVolumeClaim ${namespace}/${name} does not exist`, {
      cause: error,
      nextStep: `List the volumes with: kubectl get pvc -n ${namespace}`,
    });
  });
  const className = pvc.spec.storageClassName;
  if (className === undefined || className === '')
    throw new AppError('VOLUME_NOT_READY', `Cannot snapshot PVC ${namespace}/${name}, PVC has no storage class.`, {
      nextStep: 'Only volumes of a CSI storage class can be uploaded.',
    });
  if (pvc.status?.phase !== 'Bound')
    throw new AppError(
      'VOLUME_NOT_READY',
      `PersistentVolumeClaim ${namespace}/${name} is ${pvc.status?.phase ?? 'Pending'}, not Bound`,
      {
        nextStep: `See why with: kubectl describe pvc -n ${namespace} ${name}`,
      },
    );
  const storageClass = await kube.get(storageClassType, { name: className }, { signal }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new AppError('VOLUME_NOT_READY', `StorageClass "${className}" of PVC ${namespace}/${name} does not exist`, {
      cause: error,
    });
  });
  return { pvc, storageClass };
}
