import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { durationText } from '@lateen/kernel';
import { keyOf, keyText } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { ExposerPorts } from '../exposer-ports.ts';
import { stillFree } from './free-target.ts';
import { isNamed } from './marked-volumes.ts';

interface BindingOptions {
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * Waits until the binder has released the volume from the deleted claim, and returns it in that state. Before the binder binds a
 * released volume, it must write the volume, and that write fails after the volume was taken back. A volume that is still Bound
 * when it is offered again could be bound without that write.
 * @throws EXPOSE_NOT_BOUND after `timeoutMs`
 */
export function releasedVolume(
  ports: ExposerPorts,
  volume: PersistentVolume,
  target: PersistentVolumeClaim,
  options: BindingOptions,
): Promise<PersistentVolume> {
  let phase = volume.status?.phase;
  const look = (signal: AbortSignal) =>
    waitForObject({
      api: ports.kube,
      type: persistentVolumeType,
      key: keyOf(volume),
      ...waitPorts(ports),
      signal,
      until: (seen) => {
        phase = seen?.status?.phase;
        if (seen === undefined) throw goneVolume(volume);
        return phase === 'Bound' ? undefined : seen;
      },
    });
  return inTime(ports, look, options, () => notBound(volume, target, options, `volume ${phase}`));
}

/**
 * Waits until the claim names the volume and is Bound.
 * @throws EXPOSE_NOT_BOUND after `timeoutMs`; EXPOSE_NO_TARGET_CLAIM, EXPOSE_TARGET_BOUND when it never will
 */
export function claimBound(
  ports: ExposerPorts,
  volume: PersistentVolume,
  target: PersistentVolumeClaim,
  options: BindingOptions,
): Promise<PersistentVolumeClaim> {
  let phase = target.status?.phase;
  const look = (signal: AbortSignal) =>
    waitForObject({
      api: ports.kube,
      type: persistentVolumeClaimType,
      key: keyOf(target),
      ...waitPorts(ports),
      signal,
      until: (seen) => {
        phase = seen?.status?.phase;
        const isSame = seen?.metadata.uid === target.metadata.uid;
        const claim = stillFree(isSame ? seen : undefined, keyOf(target), volume);
        return isNamed(volume, claim) && phase === 'Bound' ? claim : undefined;
      },
    });
  return inTime(ports, look, options, () => notBound(volume, target, options, `claim ${phase}`));
}

const waitPorts = ({ clock, random, log }: ExposerPorts) => ({ clock, random, log });

async function inTime<R>(
  { clock }: ExposerPorts,
  wait: (signal: AbortSignal) => Promise<R>,
  { timeoutMs, signal }: BindingOptions,
  late: () => AppError,
): Promise<R> {
  const deadline = clock.deadline(timeoutMs);
  try {
    return await wait(AbortSignal.any([signal, deadline]));
  } catch (error) {
    throw deadline.aborted && !signal.aborted ? late() : error;
  }
}

function notBound(
  volume: PersistentVolume,
  target: PersistentVolumeClaim,
  { timeoutMs }: BindingOptions,
  state: string,
): AppError {
  return new AppError(
    'EXPOSE_NOT_BOUND',
    `PersistentVolume ${volume.metadata.name} is not bound to PVC ${keyText(keyOf(target))} after ${durationText(timeoutMs)} (${state})`,
    { nextStep: 'Check the Events of the claim, and that kube-controller-manager runs.' },
  );
}

function goneVolume(volume: PersistentVolume): AppError {
  return new AppError('EXPOSE_NO_RESTORED_VOLUME', `PersistentVolume ${volume.metadata.name} was deleted meanwhile`, {
    nextStep: 'Start the restore again.',
  });
}
