import { type PersistentVolume, persistentVolumeClaimType, persistentVolumeType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, keyOf, readObject } from '@lateen/kube';
import { waitGone } from '@lateen/kube-runtime';
import { cleanUpHosting } from '../api/clean-up-hosting.ts';
import { belongsTo } from '../api/owned-object.ts';
import type { ExposeOptions, ExposerPorts } from '../exposer-ports.ts';
import type { ExposeOwner } from '../owner.ts';
import { type RestoreExposeParam, targetKeyOf } from './expose-restore.ts';
import { readFreeTarget } from './free-target.ts';
import { isHandedOver, isMarked, isOffered, isTakenBack, patchAsRead, volumesMarkedFor } from './marked-volumes.ts';
import { offerPatch, releasePatch, retainPatch } from './rebind-patches.ts';
import { takeBack } from './take-back.ts';
import { claimBound, releasedVolume } from './volume-binding.ts';

export interface RebindOptions extends ExposeOptions {
  /** Aborts when the handover is canceled: every wait, and every step before the last, ends. */
  canceled: AbortSignal;
}

/**
 * Hands the restored volume to the target claim (data-movement.md section 5): set it to Retain, delete pod and restore claim,
 * offer it to the target claim, wait until they are bound, restore the reclaim policy. Only the binder writes the claim, so until
 * the binder has started everything can be undone. Safe to repeat after a crash at any point: the volume is marked before
 * anything is deleted.
 * @throws EXPOSE_NO_RESTORED_VOLUME, EXPOSE_NO_TARGET_CLAIM, EXPOSE_TARGET_BOUND, EXPOSE_NOT_BOUND, EXPOSE_TAKEN_BACK,
 * KUBE_CONFLICT when another writer has changed the volume: read it again. A caller that gives up must call {@link undoRebinding}
 * first, because the claim may have got the volume after all.
 */
export async function rebindVolume(
  ports: ExposerPorts,
  owner: ExposeOwner,
  param: RestoreExposeParam,
  { signal, canceled }: RebindOptions,
): Promise<void> {
  const { kube } = ports;
  // A cancel does not abort a write: it would be unknown then whether the write took effect.
  const either = AbortSignal.any([signal, canceled]);
  const wait = { timeoutMs: param.operationTimeoutMs, signal: either };
  const found = await restoredVolume(kube, owner, either);
  if (isHandedOver(found, owner)) return;
  if (isTakenBack(found, owner)) throw takenBack(owner, found);
  let volume = isMarked(found, owner) ? found : await patchAsRead(kube, found, retainPatch(owner, found), signal);
  const claim = await cleanUpHosting(kube, owner, signal, { keepVolume: true });
  if (claim !== undefined) await waitGone(ports, persistentVolumeClaimType, claim, wait);
  const target = await readFreeTarget(kube, targetKeyOf(param), volume, signal);
  if (!isOffered(volume, target)) {
    volume = await releasedVolume(ports, volume, target, wait);
    if (isTakenBack(volume, owner)) throw takenBack(owner, volume);
    either.throwIfAborted();
    volume = await patchAsRead(kube, volume, offerPatch(volume, target), signal);
  }
  await claimBound(ports, volume, target, wait);
  const bound = await kube.get(persistentVolumeType, keyOf(volume), { signal });
  await patchAsRead(kube, bound, releasePatch(bound), signal);
}

/**
 * Ends a rebinding that is canceled: false when the target claim has the volume, or is about to, and keeps it. Otherwise nothing
 * can be bound to the volume any more, also by another process that still tries, and the clean-up deletes it. Safe to repeat.
 */
export async function undoRebinding(
  { kube }: ExposerPorts,
  owner: ExposeOwner,
  param: RestoreExposeParam,
  { signal }: ExposeOptions,
): Promise<boolean> {
  let undone = true;
  for (const volume of await volumesMarkedFor(kube, owner, signal)) {
    if ((await takeBack(kube, owner, targetKeyOf(param), volume, signal)) !== undefined) undone = false;
  }
  return undone;
}

/** Finds the volume by the restore claim as long as that exists, otherwise by its mark. @throws EXPOSE_NO_RESTORED_VOLUME */
async function restoredVolume(kube: KubeApi, owner: ExposeOwner, signal: AbortSignal): Promise<PersistentVolume> {
  const key = { namespace: owner.namespace, name: owner.name };
  const claim = await readObject(kube, persistentVolumeClaimType, key, signal);
  const name = claim !== undefined && belongsTo(claim, owner) ? claim.spec.volumeName : undefined;
  const volume =
    name === undefined || name === ''
      ? (await volumesMarkedFor(kube, owner, signal))[0]
      : await readObject(kube, persistentVolumeType, { name }, signal);
  if (volume !== undefined) return volume;
  throw new AppError(
    'EXPOSE_NO_RESTORED_VOLUME',
    `the volume that ${owner.kind} ${owner.namespace}/${owner.name} was restored into is gone`,
    {
      nextStep: 'Start the restore again.',
    },
  );
}

function takenBack(owner: ExposeOwner, volume: PersistentVolume): AppError {
  return new AppError(
    'EXPOSE_TAKEN_BACK',
    `PersistentVolume ${volume.metadata.name} was not handed over: ${owner.kind} ${owner.namespace}/${owner.name} was interrupted`,
    { nextStep: 'Start the restore again.' },
  );
}
