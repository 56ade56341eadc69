import { type PersistentVolumeClaim, persistentVolumeClaimType } from '@lateen/api-types';
import { listAll } from '@lateen/kube';
import type { ActionContext } from '../contract/action-context.ts';
import type { ItemBlockAction } from '../contract/item-block-action.ts';
import type { ItemIdentifier } from '../contract/item-identifier.ts';
import { groupOf } from '../group-label.ts';

/** Puts a claim into one block with its volume, the pods that mount it, and the other claims of its volume group. */
export const claimBlockAction: ItemBlockAction = {
  name: 'velero.io/pvc',
  appliesTo: { includedResources: ['persistentvolumeclaims'] },
  relatedItems: async (item, context, signal) => {
    const claim = item as unknown as PersistentVolumeClaim;
    const { namespace = '' } = claim.metadata;
    const { volumeName = '' } = claim.spec;
    const isBound = claim.status?.phase === 'Bound' && volumeName !== '';
    const [pods, group] = await Promise.all([
      context.volumes.podsUsing(claim, signal),
      othersOfGroup(claim, context, signal),
    ]);
    return [
      ...(isBound ? [{ group: '', resource: 'persistentvolumes', name: volumeName }] : []),
      ...pods.map((name) => ({ group: '', resource: 'pods', namespace, name })),
      ...group,
    ];
  },
};

async function othersOfGroup(
  claim: PersistentVolumeClaim,
  { backup, kube }: ActionContext,
  signal: AbortSignal,
): Promise<ItemIdentifier[]> {
  const group = groupOf(claim, backup);
  if (group === undefined) return [];
  const { namespace, key, value } = group;
  const labelSelector = `${key}=${value}`;
  const options = { namespace, labelSelector, metadataOnly: true, signal };
  const { items } = await listAll(kube, persistentVolumeClaimType, options);
  return items
    .map(({ metadata }) => metadata.name ?? '')
    .filter((name) => name !== claim.metadata.name)
    .map((name) => ({ group: '', resource: 'persistentvolumeclaims', namespace, name }));
}
