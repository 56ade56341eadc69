import {
  namespaceType,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type Clock, durationText, type Logger, type Random } from '@lateen/kernel';
import { type KubeApi, type KubeObject, readObject } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';

interface InCluster {
  volume: PersistentVolume | undefined;
  /** The claim that the volume is bound to, and the claim's namespace. */
  claim?: PersistentVolumeClaim | undefined;
  namespace?: KubeObject | undefined;
}

/** Whether the name of a volume is free, in use, or its volume is being deleted. Pure. */
export function volumeUse({ volume, claim, namespace }: InCluster): 'free' | 'in-use' | 'going' {
  if (volume === undefined) return 'free';
  if (volume.metadata.deletionTimestamp !== undefined || volume.status?.phase === 'Released') return 'going';
  if (volume.spec.claimRef === undefined) return 'in-use';
  const isLeft =
    claim === undefined || [claim, namespace].some((each) => each?.metadata.deletionTimestamp !== undefined);
  return isLeft ? 'going' : 'in-use';
}

export interface WaitPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  log: Logger;
}

/**
 * Waits while the volume of that name is being deleted. The volume itself changes when this is over, so nothing else is watched.
 * @throws AppError VOLUME_STILL_THERE after `timeoutMs`
 */
export async function volumeSettled(
  ports: WaitPorts,
  name: string,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<'free' | 'in-use'> {
  const deadline = ports.clock.deadline(timeoutMs);
  const either = AbortSignal.any([signal, deadline]);
  const { kube, clock, random, log } = ports;
  const waiting = { api: kube, clock, random, log };
  try {
    for (;;) {
      const seen = await lookAt(kube, name, either);
      const use = volumeUse(seen);
      if (use !== 'going') return use;
      const { resourceVersion } = seen.volume?.metadata ?? {};
      await waitForObject({
        ...waiting,
        type: persistentVolumeType,
        key: { name },
        signal: either,
        until: (volume) => (volume?.metadata.resourceVersion === resourceVersion ? undefined : true),
      });
    }
  } catch (error) {
    if (!deadline.aborted || signal.aborted) throw error;
    throw new AppError(
      'VOLUME_STILL_THERE',
      `PersistentVolume ${name} is being deleted, and still exists after ${durationText(timeoutMs)}`,
      { nextStep: 'Check its finalizers, its claim, and the namespace of the claim.' },
    );
  }
}

async function lookAt(kube: KubeApi, name: string, signal: AbortSignal): Promise<InCluster> {
  const volume = await readObject(kube, persistentVolumeType, { name }, signal);
  const { namespace = '', name: claimName = '' } = volume?.spec.claimRef ?? {};
  const [claim, ofClaim] = await Promise.all([
    readObject(kube, persistentVolumeClaimType, { namespace, name: claimName }, signal),
    readObject(kube, namespaceType, { name: namespace }, signal),
  ]);
  return { volume, claim, namespace: ofClaim };
}
