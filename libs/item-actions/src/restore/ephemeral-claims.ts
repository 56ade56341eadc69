import {
  claimNameOf,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaimType,
  type Restore,
} from '@lateen/api-types';
import { ownerReferenceTo, readObject, retryOnConflict } from '@lateen/kube';
import type { RestoreActionContext } from '../contract/restore-item-action.ts';
import { isMadeBy } from './made-by-restore.ts';

/** The decision about a claim with the name of an ephemeral volume's claim. */
export type ClaimFate =
  | { kind: 'settled' }
  | { kind: 'own'; ownerReferences: OwnerReference[] }
  /** The pod cannot use it. */
  | { kind: 'refused'; reason: string };

/**
 * Kubernetes uses such a claim only for the pod that controls it. A restored claim has lost its owner, and gets the new pod as
 * its owner. A claim that this restore did not create stays as it is, because it would be deleted with the pod. Pure.
 * @param claim undefined: not restored, Kubernetes creates it
 */
export function fateOfEphemeralClaim(claim: PersistentVolumeClaim | undefined, pod: Pod, restore: Restore): ClaimFate {
  if (claim === undefined) return { kind: 'settled' };
  const { ownerReferences = [], deletionTimestamp } = claim.metadata;
  const controller = ownerReferences.find((owner) => owner.controller === true);
  if (controller !== undefined && controller.uid === pod.metadata.uid) return { kind: 'settled' };
  if (deletionTimestamp !== undefined) return { kind: 'refused', reason: 'it is being deleted' };
  if (controller !== undefined)
    return {
      kind: 'refused',
      reason: `it belongs to the ${controller.kind} ${controller.name} with uid ${controller.uid}`,
    };
  if (!isMadeBy(restore, claim)) return { kind: 'refused', reason: 'it was not made by this restore' };
  const others = ownerReferences.filter(({ uid }) => uid !== pod.metadata.uid);
  const owner = { ...ownerReferenceTo(pod, { controller: true }), blockOwnerDeletion: true };
  return { kind: 'own', ownerReferences: [...others, owner] };
}

/**
 * Makes an existing pod the owner of the restored claims of its ephemeral volumes. A failure is logged as an error of its claim.
 * Safe to repeat.
 */
export async function ownEphemeralClaims(pod: Pod, context: RestoreActionContext, signal: AbortSignal): Promise<void> {
  const { namespace = '', name: podName = '' } = pod.metadata;
  for (const volume of pod.spec.volumes ?? []) {
    const name = volume.ephemeral ? claimNameOf(podName, volume) : undefined;
    if (name === undefined) continue;
    const fields = { resource: 'persistentvolumeclaims', namespace, name, volume: volume.name };
    try {
      const fate = await retryOnConflict(() => ownClaim(pod, { namespace, name }, context, signal));
      if (fate.kind === 'refused') context.log.warn({ ...fields, reason: fate.reason }, refused);
      if (fate.kind === 'own') context.log.info(fields, 'the claim of an ephemeral volume has got its pod as owner');
    } catch (error) {
      signal.throwIfAborted();
      context.log.error({ ...fields, err: error }, 'Error giving the claim of an ephemeral volume to its pod');
    }
  }
}

const refused =
  'the pod does not start, since the PersistentVolumeClaim of its ephemeral volume is not its own: delete the claim, and Kubernetes makes an empty one; or delete pod and claim, and restore again';

async function ownClaim(
  pod: Pod,
  key: { namespace: string; name: string },
  { kube, restore }: RestoreActionContext,
  signal: AbortSignal,
): Promise<ClaimFate> {
  const claim = await readObject(kube, persistentVolumeClaimType, key, signal);
  const fate = fateOfEphemeralClaim(claim, pod, restore);
  if (fate.kind !== 'own') return fate;
  const metadata = {
    resourceVersion: claim?.metadata.resourceVersion,
    uid: claim?.metadata.uid,
    ownerReferences: fate.ownerReferences,
  };
  await kube.patch(persistentVolumeClaimType, key, { type: 'merge', body: { metadata } }, { signal });
  return fate;
}
