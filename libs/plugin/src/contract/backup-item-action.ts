import type { Backup, Unstructured } from '@lateen/api-types';
import type { OperationProgress, ResourceSelector, BackupItemResult as WholeResult } from '@lateen/item-actions';
import type { ActionContext } from './action-context.ts';
import type { MaybePromise } from './maybe-promise.ts';

export interface BackupItemInput {
  /** Yours: change it and return it. Numbers that a double cannot hold are `JSON.rawJSON` values and are written back as they were. */
  readonly item: Unstructured;
  /** The same object for every item of one backup, frozen. */
  readonly backup: Backup;
}

export interface BackupOperationInput {
  /** As `execute` has returned it. */
  readonly operationId: string;
  readonly backup: Backup;
}

/** Without `item` the object is stored as it came. */
export type BackupItemResultV1 = Partial<Pick<WholeResult, 'item' | 'additionalItems'>>;
export type BackupItemResultV2 = Partial<WholeResult>;

/** An action that starts nothing. It is listed as `BackupItemAction`, which every version of Velero knows. */
export interface BackupItemActionV1 {
  /** Which items it sees; all when absent. Asked once per backup. */
  readonly appliesTo?: ResourceSelector;
  /** An error leaves the item out of the backup and is counted there. Nothing returned means: unchanged. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing
  execute(input: BackupItemInput, context: ActionContext): MaybePromise<BackupItemResultV1 | void>;
  progress?: undefined;
  cancel?: undefined;
}

/**
 * An action that starts operations, which go on when it has returned: its result names `operationId`, and the server asks for
 * `progress` until that is completed. Listed as `BackupItemActionV2`.
 */
export interface BackupItemActionV2 {
  readonly appliesTo?: ResourceSelector;
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing
  execute(input: BackupItemInput, context: ActionContext): MaybePromise<BackupItemResultV2 | void>;
  /** Asked about every ten seconds, also by a process that was started after the one that began the operation. */
  progress(input: BackupOperationInput, context: ActionContext): MaybePromise<OperationProgress>;
  /** Asks an operation to end. May be called for one that has ended. */
  cancel(input: BackupOperationInput, context: ActionContext): MaybePromise<void>;
}

export type BackupItemAction = BackupItemActionV1 | BackupItemActionV2;
