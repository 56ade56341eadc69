import { annotations, type Unstructured } from '@lateen/api-types';
import type { ItemIdentifier } from '../contract/item-identifier.ts';
import type { RestoreItemResult } from '../contract/restore-item-action.ts';
import { withMetadata } from '../item/with-metadata.ts';

/** Adds objects without which the item is useless: they are restored whatever the filters say. */
export const withNeeded = (item: Unstructured, additionalItems: readonly ItemIdentifier[]): RestoreItemResult =>
  additionalItems.length === 0
    ? { updatedItem: item }
    : {
        updatedItem: withMetadata(item, {
          annotations: { [annotations.mustIncludeAdditionalItemsAtRestore]: 'true' },
        }),
        additionalItems,
      };
