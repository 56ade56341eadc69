import {
  annotations,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  storageClassType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { keyText, type ObjectKey, readObject } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { ExposerPorts } from '../exposer-ports.ts';

/** A claim that can be served: no volume is bound to it, and the place for its volume is known. */
export interface TargetClaim {
  claim: PersistentVolumeClaim;
  /** Set when the class waits for a consumer, and the consumer's node was waited for. */
  selectedNode: string | undefined;
  /** Its class creates a volume only after a node has been chosen for it. */
  waitsForConsumer: boolean;
}

/**
 * Waits until the target claim can be served: at once when its class binds at once; otherwise until its consumer has been
 * scheduled, unless `ignoreDelayBinding` allows any node (data-movement.md section 5). With `comesLater` it first waits until the
 * claim exists. The signal sets the time limit.
 * @throws EXPOSE_NO_TARGET_CLAIM, EXPOSE_TARGET_BOUND, EXPOSE_NO_STORAGE_CLASS
 */
export async function readyTargetClaim(
  ports: ExposerPorts,
  key: ObjectKey,
  { ignoreDelayBinding, comesLater, signal }: { ignoreDelayBinding: boolean; comesLater: boolean; signal: AbortSignal },
): Promise<TargetClaim> {
  const { kube, clock, random, log } = ports;
  const present = await readObject(kube, persistentVolumeClaimType, key, signal);
  const first = present === undefined && comesLater ? await claimMade(ports, key, signal) : present;
  const waits = await waitsForConsumer(ports, mustBeFree(first, key), signal);
  if (first !== undefined && (!waits || ignoreDelayBinding))
    return { claim: first, selectedNode: undefined, waitsForConsumer: waits };
  return waitForObject({
    api: kube,
    type: persistentVolumeClaimType,
    key,
    clock,
    random,
    log,
    signal,
    until: (seen) => {
      const claim = mustBeFree(seen, key);
      const selectedNode = claim.metadata.annotations?.[annotations.selectedNode];
      return selectedNode === undefined || selectedNode === ''
        ? undefined
        : { claim, selectedNode, waitsForConsumer: true };
    },
  });
}

function claimMade(
  { kube, clock, random, log }: ExposerPorts,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
  const until = (seen: PersistentVolumeClaim | undefined) => seen;
  return waitForObject({ api: kube, type: persistentVolumeClaimType, key, clock, random, log, signal, until });
}

function mustBeFree(claim: PersistentVolumeClaim | undefined, key: ObjectKey): PersistentVolumeClaim {
  if (claim === undefined) {
    throw new AppError('EXPOSE_NO_TARGET_CLAIM', `Target PVC ${keyText(key)} does not exist`, {
      nextStep: 'Create it, without a volume, or correct spec.targetVolume.',
    });
  }
  if (claim.spec.volumeName !== undefined && claim.spec.volumeName !== '') {
    throw new AppError('EXPOSE_TARGET_BOUND', `Target PVC ${keyText(key)} has already been bound, abort`, {
      nextStep: `Data is restored into a new volume only: give the claim a selector with label velero.io/dynamic-pv-restore so that nothing else binds it.`,
    });
  }
  return claim;
}

async function waitsForConsumer(
  { kube }: ExposerPorts,
  claim: PersistentVolumeClaim,
  signal: AbortSignal,
): Promise<boolean> {
  const name = claim.spec.storageClassName;
  if (name === undefined || name === '') return false;
  const storageClass = await readObject(kube, storageClassType, { name }, signal);
  if (storageClass === undefined) {
    throw new AppError(
      'EXPOSE_NO_STORAGE_CLASS',
      `storage class "${name}" of target PVC ${claim.metadata.namespace}/${claim.metadata.name} does not exist`,
      {
        nextStep: 'Create the class, or restore the claim with another one.',
      },
    );
  }
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer';
}
