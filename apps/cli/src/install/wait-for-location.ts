import { type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';

/**
 * Resolves when the controller has found the location Available.
 * @throws LOCATION_NOT_AVAILABLE with the controller's own words, after `timeoutMs`
 */
export async function waitForLocation(
  kube: KubeApi,
  key: { namespace: string; name: string },
  {
    clock,
    signal,
    timeoutMs,
    onWaiting,
  }: { clock: Clock; signal: AbortSignal; timeoutMs: number; onWaiting: (why: string) => void },
): Promise<void> {
  const deadline = clock.deadline(timeoutMs);
  let why = 'the controller has not looked at it yet';
  try {
    await waitForObject<BackupStorageLocation, true>({
      api: kube,
      type: backupStorageLocationType,
      key,
      clock,
      signal: AbortSignal.any([signal, deadline]),
      until: (seen) => {
        if (seen?.status?.phase === 'Available') return true;
        if (seen?.status?.phase !== undefined)
          why = `${seen.status.phase}: ${seen.status.message ?? 'no reason given'}`;
        onWaiting(why);
        return undefined;
      },
    });
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error;
    throw new AppError(
      'LOCATION_NOT_AVAILABLE',
      `BackupStorageLocation ${key.namespace}/${key.name} is not Available after ${timeoutMs / 1000} s: ${why}`,
      {
        nextStep: 'Everything else runs. Mend the cause, or run install again with other settings of the location.',
      },
    );
  }
}
