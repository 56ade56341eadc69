import type { ResourceSelector } from '@lateen/item-actions';
import type { ActionContext } from './action-context.ts';
import type { BackupItemInput } from './backup-item-action.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** Told of each item of a backup that is deleted, so that what belongs to it elsewhere goes too. Called again when that fails. */
export interface DeleteItemAction {
  readonly appliesTo?: ResourceSelector;
  execute(input: BackupItemInput, context: ActionContext): MaybePromise<void>;
}
