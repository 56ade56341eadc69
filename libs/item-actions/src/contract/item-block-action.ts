import type { Unstructured } from '@lateen/api-types';
import type { ActionContext } from './action-context.ts';
import type { ItemIdentifier } from './item-identifier.ts';
import type { ResourceSelector } from './resource-selector.ts';

/** Names the objects that belong into one block with an item: hooks run around the whole block. */
export interface ItemBlockAction {
  readonly name: string;
  readonly appliesTo: ResourceSelector;
  relatedItems(item: Unstructured, context: ActionContext, signal: AbortSignal): Promise<readonly ItemIdentifier[]>;
}
