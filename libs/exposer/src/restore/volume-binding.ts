import { type PersistentVolume, persistentVolumeType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { waitForObject } from '@lateen/kube-runtime';
import type { ExposerPorts } from '../exposer-ports.ts';
import { isPointedAt } from './rebind-patches.ts';

/** The binder takes milliseconds; when it is away or busy, binding is only slower without its notice. */
const noticeMs = 5_000;

/**
 * Resolves when the volume binder has seen that the volume is reserved for the target: it then calls it Available. The
 * binder looks at a claim when the claim changes and else each 15 s, so a claim that names the volume before the binder
 * knows whose it is waits for that long.
 */
export async function binderHasNoticed(
  { kube, clock, random, log }: ExposerPorts,
  name: string,
  target: { namespace: string; name: string },
  signal: AbortSignal,
): Promise<void> {
  const late = clock.deadline(noticeMs);
  try {
    await waitForObject({
      api: kube,
      type: persistentVolumeType,
      key: { name },
      clock,
      random,
      log,
      signal: AbortSignal.any([signal, late]),
      until: (volume) => {
        const known = volume?.status?.phase === 'Available' || volume?.spec.claimRef?.uid !== undefined;
        return volume === undefined || (known && isPointedAt(volume, target)) ? true : undefined;
      },
    });
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error;
  }
}

/** @throws EXPOSE_NOT_BOUND after `timeoutMs` */
export async function boundVolume(
  { kube, clock, random, log }: ExposerPorts,
  name: string,
  target: { namespace: string; name: string },
  timeoutMs: number,
  signal: AbortSignal,
): Promise<PersistentVolume> {
  const deadline = clock.deadline(timeoutMs);
  let phase = 'unknown';
  try {
    return await waitForObject({
      api: kube,
      type: persistentVolumeType,
      key: { name },
      clock,
      random,
      log,
      signal: AbortSignal.any([signal, deadline]),
      until: (volume) => {
        phase = volume?.status?.phase ?? 'gone';
        return volume?.status?.phase === 'Bound' &&
          volume.spec.claimRef?.uid !== undefined &&
          isPointedAt(volume, target)
          ? volume
          : undefined;
      },
    });
  } catch (error) {
    if (!deadline.aborted || signal.aborted) throw error;
    throw new AppError(
      'EXPOSE_NOT_BOUND',
      `PersistentVolume ${name} is not bound to PVC ${target.namespace}/${target.name} after ${timeoutMs / 1000} s (phase ${phase})`,
      {
        nextStep: 'Look at the events of the claim.',
      },
    );
  }
}
