import { type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type Clock, durationText, type Random } from '@lateen/kernel';
import { type KubeApi, keyOf } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { isAnswered, locationNotFound } from '@lateen/operations/backup-location';
import type { TextOutput } from '../output/live-line.ts';

/** Four times the limit of one validation. */
export const validationWaitMs = 120_000;

export interface WaitValidatedPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  stdout: TextOutput;
  stderr: TextOutput;
}

/**
 * Waits until a location that was written with a `validationRequest` has been validated, and prints the result. On abort:
 * rejects; the location stays as it is.
 * @throws AppError LOCATION_UNAVAILABLE with the reason | LOCATION_NOT_FOUND when it is deleted meanwhile | VALIDATION_TIMEOUT |
 * INTERRUPTED
 */
export async function reportValidation(
  ports: WaitValidatedPorts,
  location: BackupStorageLocation,
  signal: AbortSignal,
): Promise<void> {
  const { name } = location.metadata;
  ports.stderr.write('Waiting for the validation. You may press Ctrl-C: the location stays.\n');
  const { status } = await waitValidated(ports, location, signal);
  if (status?.phase === 'Available') {
    ports.stdout.write(`Backup storage location "${name}" is Available.\n`);
    return;
  }
  throw new AppError(
    'LOCATION_UNAVAILABLE',
    status?.message || `backup storage location "${name}" is ${status?.phase}, and no reason is given`,
  );
}

/** @returns the validated location, in the version that was written or a later one */
async function waitValidated(
  { kube, clock, random }: Pick<WaitValidatedPorts, 'kube' | 'clock' | 'random'>,
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
        return isAnswered(seen, location.status) ? seen : undefined;
      },
    });
  } catch (error) {
    if (signal.aborted)
      throw new AppError('INTERRUPTED', `stopped waiting; backup storage location "${key.name}" stays`, {
        nextStep: `See its state with: lateen backup-location get ${key.name}`,
      });
    if (!timeout.aborted) throw error;
    throw new AppError(
      'VALIDATION_TIMEOUT',
      `backup storage location "${key.name}" was not validated within ${durationText(validationWaitMs)}`,
      { nextStep: 'See whether the controller runs: kubectl get pods, and its log.' },
    );
  }
}
