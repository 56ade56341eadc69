import type { Backup, Unstructured } from '@lateen/api-types';
import type { ActionContext } from './action-context.ts';
import type { ItemIdentifier } from './item-identifier.ts';
import type { OperationProgress } from './operation-progress.ts';
import type { ResourceSelector } from './resource-selector.ts';

export interface BackupItemResult {
  /** The item as it is stored; the same object when the action changes nothing. */
  item: Unstructured;
  /** Related objects that are backed up too, subject to the filters unless an annotation of the item says otherwise. */
  additionalItems?: readonly ItemIdentifier[];
  /** The action has started an operation that continues after this call; `progress` reports on it. */
  operationId?: string;
  /** Read again when the operations of the backup have ended, so that the backup stores their state at that time. */
  postOperationItems?: readonly ItemIdentifier[];
}

/**
 * Processes an item before it is stored. Callers treat built-in actions and those of plugins alike (docs/adr/0024). Actions run
 * in the order of their table. An error leaves the item out of the archive and counts as an error of the backup.
 */
export interface BackupItemAction {
  /** `velero.io/pvc`: shown in logs, results and item operations. */
  readonly name: string;
  readonly appliesTo: ResourceSelector;
  /** Must not change `item`: returns a changed copy. @throws the reason why the item cannot be backed up */
  execute(item: Unstructured, context: ActionContext, signal: AbortSignal): Promise<BackupItemResult>;
  /** The progress of an operation. Absent for actions that start none. */
  progress?(operationId: string, context: OperationContext, signal: AbortSignal): Promise<OperationProgress>;
  /** Asks an operation to end; resolves when the request is accepted. Safe to repeat, also for an operation that has ended. */
  cancel?(operationId: string, context: OperationContext, signal: AbortSignal): Promise<void>;
  /**
   * Reports the progress of the backup's operations, which avoids polling: first the present state of each operation, then each
   * change. For an operation that is never reported (its object is gone, a plugin cannot watch) the caller uses `progress`.
   * Reconnects after lost connections; resolves when `signal` aborts.
   */
  watchOperations?(
    context: OperationContext,
    onChange: (operationId: string, progress: OperationProgress) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /**
   * Called when no more items of this backup follow, however its run ended. Releases what was allocated for items that did not
   * follow. Called once per backup, also after an abort, and therefore with a signal of its own.
   */
  endItems?(context: ActionContext, signal: AbortSignal): Promise<void>;
}

/** Operations may outlive the process that started them, so they get only this part of the context. */
export type OperationContext = Pick<ActionContext, 'kube' | 'clock' | 'random' | 'log' | 'veleroNamespace'> & {
  readonly backup: Backup;
};
