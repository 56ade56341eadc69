import { type PersistentVolume, persistentVolumeClaimType, persistentVolumeType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { keyText, readObject } from '@lateen/kube';
import type { ExposerPorts } from '../exposer-ports.ts';
import type { TargetClaim } from './target-claim.ts';

/** A claim with a volume that receives the data. */
export interface ExistingTarget extends TargetClaim {
  volume: PersistentVolume;
}

/**
 * The target claim with its volume. The creator of the download has checked that no pod uses it: a node-agent has no permission
 * to read pods in all namespaces.
 * @param volumeName the expected volume; "" for any that the claim has
 * @throws EXPOSE_NO_TARGET_CLAIM, EXPOSE_TARGET_NOT_BOUND, EXPOSE_TARGET_CHANGED
 */
export async function existingTarget(
  { kube }: ExposerPorts,
  key: { namespace: string; name: string },
  volumeName: string,
  signal: AbortSignal,
): Promise<ExistingTarget> {
  const claim = await readObject(kube, persistentVolumeClaimType, key, signal);
  if (claim === undefined)
    throw new AppError('EXPOSE_NO_TARGET_CLAIM', `Target PVC ${keyText(key)} does not exist`, {
      nextStep: 'Without restoreType its data is restored into a new volume.',
    });
  const name = claim.spec.volumeName ?? '';
  const volume = await readObject(kube, persistentVolumeType, { name }, signal);
  if (volume === undefined || volume.spec.claimRef?.uid !== claim.metadata.uid)
    throw new AppError('EXPOSE_TARGET_NOT_BOUND', `Target PVC ${keyText(key)} has no volume to restore into`, {
      nextStep: 'Without restoreType its data is restored into a new volume.',
    });
  if (volumeName !== '' && volumeName !== name)
    throw new AppError(
      'EXPOSE_TARGET_CHANGED',
      `Target PVC ${keyText(key)} has volume ${name} and not ${volumeName}, which the data was meant for`,
      { nextStep: 'Start the restore again.' },
    );
  return { claim, volume, selectedNode: undefined, waitsForConsumer: false };
}
