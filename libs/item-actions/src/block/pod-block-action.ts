import type { Pod } from '@lateen/api-types';
import type { ItemBlockAction } from '../contract/item-block-action.ts';
import { itemsOfPod } from '../pod-items.ts';

/** A pod stands in one block with its claims, so that they are read while its hooks hold it still. */
export const podBlockAction: ItemBlockAction = {
  name: 'velero.io/pod',
  appliesTo: { includedResources: ['pods'] },
  relatedItems: async (item) => itemsOfPod(item as unknown as Pod),
};
