import { annotations, type Unstructured } from '@lateen/api-types';
import type { ItemIdentifier } from '../contract/item-identifier.ts';
import type { RestoreItemResult } from '../contract/restore-item-action.ts';
import { withMetadata } from '../item/with-metadata.ts';

/** The item with objects that it is of no use without: they come whatever the filters say. */
export const withNeeded = (item: Unstructured, additionalItems: readonly ItemIdentifier[]): RestoreItemResult =>
  additionalItems.length === 0
    ? { updatedItem: item }
    : {
        updatedItem: withMetadata(item, {
          annotations: { [annotations.mustIncludeAdditionalItemsAtRestore]: 'true' },
        }),
        additionalItems,
      };
