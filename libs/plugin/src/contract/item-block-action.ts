import type { ItemIdentifier, ResourceSelector } from '@lateen/item-actions';
import type { ActionContext } from './action-context.ts';
import type { BackupItemInput } from './backup-item-action.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** Says which objects belong into one block with an item: hooks run around the whole block. */
export interface ItemBlockAction {
  readonly appliesTo?: ResourceSelector;
  relatedItems(input: BackupItemInput, context: ActionContext): MaybePromise<readonly ItemIdentifier[]>;
}
