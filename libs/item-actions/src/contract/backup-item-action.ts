import type { Backup, Unstructured } from '@lateen/api-types';
import type { ActionContext } from './action-context.ts';
import type { ItemIdentifier } from './item-identifier.ts';
import type { OperationProgress } from './operation-progress.ts';
import type { ResourceSelector } from './resource-selector.ts';

export interface BackupItemResult {
  /** The item as it is stored; the same object when the action changes nothing. */
  item: Unstructured;
  /** Objects that belong to it and are backed up too, subject to the filters unless the item says otherwise by annotation. */
  additionalItems?: readonly ItemIdentifier[];
  /** Something was started that continues after this call; `progress` is asked for it. */
  operationId?: string;
  /** Read again when the operations of the backup have ended; what is stored of them is their state then. */
  postOperationItems?: readonly ItemIdentifier[];
}

/**
 * Looks at an item before it is stored. Built-in actions and those of plugins are the same to everybody above (docs/adr/0024).
 * Actions run in the order of their table. An error leaves the item out of the archive and counts as an error of the backup.
 */
export interface BackupItemAction {
  /** `velero.io/pvc`: in logs, results and item operations. */
  readonly name: string;
  readonly appliesTo: ResourceSelector;
  /** Must not change `item`: returns a changed copy. @throws what keeps the item from being backed up */
  execute(item: Unstructured, context: ActionContext, signal: AbortSignal): Promise<BackupItemResult>;
  /** How far an operation is. Absent for actions that start none. */
  progress?(operationId: string, context: OperationContext, signal: AbortSignal): Promise<OperationProgress>;
  /** Asks an operation to end; resolves when that is asked for. Safe to repeat, also for one that has ended. */
  cancel?(operationId: string, context: OperationContext, signal: AbortSignal): Promise<void>;
  /**
   * Tells how far the operations of the backup are, so that nobody has to ask over and over: each that there is when this
   * begins, then each change. What is never told of (its object is gone, a plugin cannot watch) `progress` answers. Lives
   * through lost connections; resolves when `signal` aborts.
   */
  watchOperations?(
    context: OperationContext,
    onChange: (operationId: string, progress: OperationProgress) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /**
   * No more items of this backup come, however its run ended. Gives back what was taken for items that never came. Called
   * once per backup, also after an abort, therefore with a signal of its own.
   */
  endItems?(context: ActionContext, signal: AbortSignal): Promise<void>;
}

/** Operations outlive the process that started them, so they get no more than this. */
export type OperationContext = Pick<ActionContext, 'kube' | 'clock' | 'random' | 'log' | 'veleroNamespace'> & {
  readonly backup: Backup;
};
