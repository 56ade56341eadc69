import { annotations, type PersistentVolumeClaim, persistentVolumeClaimType } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { apiTime, type ObjectKey } from '@lateen/kube';
import { waitClaimBound } from '../api/wait-claim-bound.ts';
import type { ExposerPorts } from '../exposer-ports.ts';

/** Pauses between the writes that make the binder look at the claim again. */
const reminderPausesMs: readonly number[] = [1_000, 2_000, 4_000, 8_000];

/**
 * Waits until a claim on a volume that has just been created is bound. When the binder sees the claim before the volume, it looks
 * at the claim again in its next round only, up to 15 s later; a change of the claim makes it look at once.
 * @throws EXPOSE_CLAIM_GONE, EXPOSE_CLAIM_LOST; the signal's reason
 */
export async function waitLentBound(
  ports: ExposerPorts,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
  const over = new AbortController();
  const reminding = remindBinder(ports, key, AbortSignal.any([signal, over.signal]));
  try {
    return await waitClaimBound(ports, key, { selectedNode: undefined, signal });
  } finally {
    over.abort();
    await reminding;
  }
}

/** The write only saves time, so a failure here is ignored. */
async function remindBinder({ kube, clock, log }: ExposerPorts, key: ObjectKey, signal: AbortSignal): Promise<void> {
  try {
    for (const pauseMs of reminderPausesMs) {
      await clock.sleep(pauseMs, signal);
      const body = { metadata: { annotations: { [annotations.binderReminded]: apiTime(clock.now()) } } };
      await kube.patch(persistentVolumeClaimType, key, { type: 'merge', body }, { signal });
    }
  } catch (error) {
    if (!signal.aborted)
      log.debug(
        { claim: key.name, reason: describeError(error) },
        'the volume binder could not be reminded of a claim',
      );
  }
}
