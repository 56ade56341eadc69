import { type PersistentVolume, persistentVolumeClaimType, persistentVolumeType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { readObject } from '@lateen/kube';
import { cleanUpHosting } from '../api/clean-up-hosting.ts';
import { belongsTo } from '../api/owned-object.ts';
import { waitGone } from '../api/wait-gone.ts';
import type { ExposeOptions, ExposerPorts } from '../exposer-ports.ts';
import type { ExposeOwner } from '../owner.ts';
import type { RestoreExposeParam } from './expose-restore.ts';
import { volumesMarkedFor } from './marked-volumes.ts';
import { isHandedOver, isPointedAt, releasePatch, retainPatch, targetPatch, volumePatch } from './rebind-patches.ts';
import { binderHasNoticed, boundVolume } from './volume-binding.ts';

/**
 * Hands the restored volume to the target claim (data-movement.md section 5): retain it, delete pod and restore claim,
 * point volume and claim at each other, wait until they are bound, give the reclaim policy back. Safe to repeat after a
 * crash at any point: the volume is marked before anything is deleted.
 * @throws EXPOSE_NO_RESTORED_VOLUME, EXPOSE_TARGET_BOUND, EXPOSE_NOT_BOUND. Call cleanUp then: it deletes the volume.
 */
export async function rebindVolume(
  ports: ExposerPorts,
  owner: ExposeOwner,
  param: RestoreExposeParam,
  { signal }: ExposeOptions,
): Promise<void> {
  const { kube } = ports;
  const targetKey = { namespace: param.targetNamespace, name: param.targetClaim };
  const found = await restoredVolume(ports, owner, signal);
  if (isHandedOver(found, owner)) return;
  const name = found.metadata.name ?? '';
  const patch = (body: object) => kube.patch(persistentVolumeType, { name }, { type: 'merge', body }, { signal });
  const retained = await patch(retainPatch(owner, found));
  const claim = await cleanUpHosting(kube, owner, signal, { keepVolume: true });
  if (claim !== undefined) {
    await waitGone(ports, persistentVolumeClaimType, claim, { timeoutMs: param.operationTimeoutMs, signal });
  }
  const target = await kube.get(persistentVolumeClaimType, targetKey, { signal });
  const body = targetPatch(target, name);
  if (!isPointedAt(retained, targetKey)) await patch(volumePatch(retained, target));
  await binderHasNoticed(ports, name, targetKey, signal);
  await kube.patch(persistentVolumeClaimType, targetKey, { type: 'merge', body }, { signal });
  await patch(releasePatch(await boundVolume(ports, name, targetKey, param.operationTimeoutMs, signal)));
}

/** By the restore claim as long as there is one, else by its mark. @throws EXPOSE_NO_RESTORED_VOLUME */
async function restoredVolume(
  { kube }: ExposerPorts,
  owner: ExposeOwner,
  signal: AbortSignal,
): Promise<PersistentVolume> {
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
