import { annotations, type PersistentVolumeClaim, persistentVolumeClaimType } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { apiTime, type ObjectKey } from '@lateen/kube';
import { waitClaimBound } from '../api/wait-claim-bound.ts';
import type { ExposerPorts } from '../exposer-ports.ts';

/** From one write that reminds the binder to the next. */
const reminderPausesMs: readonly number[] = [1_000, 2_000, 4_000, 8_000];

/**
 * Waits until a claim on a volume that was made a moment before it is bound. A binder that meets the claim before it knows the volume looks
 * at it again in its next round only, which is up to 15 s later; it looks at once when the claim changes.
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

/** It saves time and is no need, so nothing that happens here is a failure. */
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
