import {
  annotations,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, keyText, type ObjectKey, readObject } from '@lateen/kube';
import { isNamed } from './marked-volumes.ts';

/**
 * The target claim, when the restored volume may be offered to it. When the claim was restored with the annotations of its
 * earlier binding, these are removed: the binder would set such a claim to Lost.
 * @throws EXPOSE_NO_TARGET_CLAIM, EXPOSE_TARGET_BOUND
 */
export async function readFreeTarget(
  kube: KubeApi,
  key: ObjectKey,
  volume: PersistentVolume,
  signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
  const claim = stillFree(await readObject(kube, persistentVolumeClaimType, key, signal), key, volume);
  const noted = claim.metadata.annotations ?? {};
  const marks = [annotations.bindCompleted, annotations.boundByController].filter((each) => noted[each] !== undefined);
  if (marks.length === 0 || isNamed(volume, claim)) return claim;
  const body = {
    metadata: {
      resourceVersion: claim.metadata.resourceVersion,
      annotations: Object.fromEntries(marks.map((each) => [each, null])),
    },
  };
  return await kube.patch(persistentVolumeClaimType, key, { type: 'merge', body }, { signal });
}

/** The claim, if no other volume is bound to it. @throws EXPOSE_NO_TARGET_CLAIM, EXPOSE_TARGET_BOUND */
export function stillFree(
  claim: PersistentVolumeClaim | undefined,
  key: ObjectKey,
  volume: PersistentVolume,
): PersistentVolumeClaim {
  if (claim === undefined) {
    throw new AppError('EXPOSE_NO_TARGET_CLAIM', `Target PVC ${keyText(key)} has been deleted meanwhile`, {
      nextStep: 'Create it, without a volume, and start the restore again.',
    });
  }
  const bound = claim.spec.volumeName ?? '';
  if (bound !== '' && !isNamed(volume, claim)) {
    throw new AppError('EXPOSE_TARGET_BOUND', `Target PVC ${keyText(key)} has been bound to ${bound} meanwhile`);
  }
  return claim;
}
