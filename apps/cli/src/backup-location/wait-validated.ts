import { type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Clock, Random } from '@lateen/kernel';
import { type KubeApi, keyOf, waitForObject } from '@lateen/kube';
import { locationNotFound } from './find-locations.ts';

/** Four times what one validation may take. */
export const validationWaitMs = 120_000;

/**
 * Waits until a new location has been validated and returns it as it then is. On abort: rejects; the location stays.
 * @throws AppError LOCATION_NOT_FOUND when it is deleted meanwhile | VALIDATION_TIMEOUT | INTERRUPTED
 */
export async function waitValidated(
  { kube, clock, random }: { kube: KubeApi; clock: Clock; random: Random },
  location: BackupStorageLocation,
  signal: AbortSignal,
): Promise<BackupStorageLocation> {
  const timeout = clock.deadline(validationWaitMs);
  const key = keyOf(location);
  try {
    return await waitForObject<BackupStorageLocation, BackupStorageLocation>({
      api: kube,
      type: backupStorageLocationType,
      key,
      clock,
      random,
      signal: AbortSignal.any([signal, timeout]),
      until: (seen) => {
        if (seen === undefined) throw locationNotFound([key.name]);
        return seen.status?.phase === undefined ? undefined : seen;
      },
    });
  } catch (error) {
    if (signal.aborted)
      throw new AppError('INTERRUPTED', `stopped waiting; backup storage location "${key.name}" stays`, {
        nextStep: `See how it is with: lateen backup-location get ${key.name}`,
      });
    if (!timeout.aborted) throw error;
    throw new AppError(
      'VALIDATION_TIMEOUT',
      `backup storage location "${key.name}" was not validated within ${validationWaitMs / 1000} s`,
      { nextStep: 'See whether the controller runs: kubectl get pods, and its log.' },
    );
  }
}
