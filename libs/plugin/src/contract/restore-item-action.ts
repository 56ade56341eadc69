import type { Restore, Unstructured } from '@lateen/api-types';
import type {
  ItemIdentifier,
  OperationProgress,
  ResourceSelector,
  RestoreItemResult as WholeResult,
} from '@lateen/item-actions';
import type { ActionContext } from './action-context.ts';
import type { MaybePromise } from './maybe-promise.ts';

export interface RestoreItemInput {
  /** As it would be created, without status. Yours: change it and return it as `updatedItem`. */
  readonly item: Unstructured;
  /** As it is in the backup. */
  readonly itemFromBackup: Unstructured;
  /** The same object for every item of one restore, frozen. */
  readonly restore: Restore;
}

export interface AdditionalItemsInput {
  /** Those that this action has named and that are in the cluster now, as it has named them: see `targetNamespace` for where they are. */
  readonly additionalItems: readonly ItemIdentifier[];
  readonly restore: Restore;
}

export interface RestoreOperationInput {
  /** As `execute` has returned it. */
  readonly operationId: string;
  readonly restore: Restore;
}

type WaitFields = 'waitForAdditionalItems' | 'additionalItemsReadyTimeoutMs';

/** Without `updatedItem` the object is created as it came. */
export type RestoreItemResultV1 = Partial<Omit<WholeResult, 'operationId' | WaitFields>>;
export type RestoreItemResultWithWait = Partial<Omit<WholeResult, 'operationId'>>;
export type RestoreItemResultWithOperation = Partial<Omit<WholeResult, WaitFields>>;
export type RestoreItemResultV2 = Partial<WholeResult>;

interface EveryRestoreItemAction<Result> {
  /** Which items it sees; all when absent. Asked once per restore. */
  readonly appliesTo?: ResourceSelector;
  /** An error keeps the item from being restored and is counted. Nothing returned means: unchanged. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing
  execute(input: RestoreItemInput, context: ActionContext): MaybePromise<Result | void>;
}

interface Waits {
  /**
   * Whether the additional items can be used: asked at once and then each second, until it says yes or the time is up. The item is created
   * then; an error and the end of the time are errors of the restore, and it is created all the same.
   */
  areAdditionalItemsReady(input: AdditionalItemsInput, context: ActionContext): MaybePromise<boolean>;
}

interface Operates {
  /** Asked about every ten seconds, also by a process that was started after the one that began the operation. */
  progress(input: RestoreOperationInput, context: ActionContext): MaybePromise<OperationProgress>;
  /** Asks an operation to end. May be called for one that has ended. */
  cancel(input: RestoreOperationInput, context: ActionContext): MaybePromise<void>;
}

interface NeverWaits {
  areAdditionalItemsReady?: undefined;
}
interface NeverOperates {
  progress?: undefined;
  cancel?: undefined;
}

/** Listed as `RestoreItemAction`, which every version of Velero knows. */
export type RestoreItemActionV1 = EveryRestoreItemAction<RestoreItemResultV1> & NeverWaits & NeverOperates;

/** Listed as `RestoreItemActionV2`: it lets its item wait for others, starts operations, or both. */
export type RestoreItemActionV2 =
  | (EveryRestoreItemAction<RestoreItemResultWithWait> & Waits & NeverOperates)
  | (EveryRestoreItemAction<RestoreItemResultWithOperation> & Operates & NeverWaits)
  | (EveryRestoreItemAction<RestoreItemResultV2> & Waits & Operates);

export type RestoreItemAction = RestoreItemActionV1 | RestoreItemActionV2;

/** The namespace into which a restore puts what the backup has in `namespace`. Items are named by namespaces of the backup. */
export const targetNamespace = ({ spec }: Restore, namespace: string): string =>
  spec.namespaceMapping?.[namespace] ?? namespace;
