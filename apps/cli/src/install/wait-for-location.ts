import { type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type Clock, durationText, type Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { isAnswered, validationRequest } from '@lateen/operations/backup-location';

/**
 * Requests a validation from the controller, as the last validation may have been of another location. Resolves when the
 * controller has set it to Available.
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
    random,
  }: { clock: Clock; random: Random; signal: AbortSignal; timeoutMs: number; onWaiting: (why: string) => void },
): Promise<void> {
  const deadline = clock.deadline(timeoutMs);
  let why = 'the controller has not looked at it yet';
  try {
    const body = { metadata: { annotations: validationRequest({ clock, random }) } };
    const { status } = await kube.patch(backupStorageLocationType, key, { type: 'merge', body }, { signal });
    await waitForObject<BackupStorageLocation, true>({
      api: kube,
      type: backupStorageLocationType,
      key,
      clock,
      signal: AbortSignal.any([signal, deadline]),
      until: (seen) => {
        if (seen?.status?.phase === 'Available' && isAnswered(seen, status)) return true;
        if (seen?.status?.phase === 'Unavailable')
          why = `${seen.status.phase}: ${seen.status.message ?? 'no reason given'}`;
        onWaiting(why);
        return undefined;
      },
    });
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error;
    throw new AppError(
      'LOCATION_NOT_AVAILABLE',
      `BackupStorageLocation ${key.namespace}/${key.name} is not Available after ${durationText(timeoutMs)}: ${why}`,
      {
        nextStep: 'Everything else runs. Correct the cause, or run install again with other settings of the location.',
      },
    );
  }
}
