import type { Unstructured } from '@lateen/api-types';
import { runAction } from '@lateen/item-actions';
import type { Logger } from '@lateen/kernel';
import type { CatalogItem } from '../../engine/contract.ts';
import type { ItemRun } from '../../engine/item-run.ts';
import { actionContextOf } from './action-context.ts';
import { actionsFor } from './actions-for.ts';
import { operationOf } from './run-actions.ts';

interface CreatedItem {
  item: CatalogItem;
  /** The object as it is in the cluster. */
  created: Unstructured;
  itemFromBackup: Unstructured;
  log: Logger;
}

/** Lets actions start work that needs the item in the cluster. A failure is an error line of the item. @throws only the signal's reason */
export async function tellCreated(
  run: ItemRun,
  { item, created, itemFromBackup, log }: CreatedItem,
  signal: AbortSignal,
): Promise<void> {
  for (const action of actionsFor(run, item, () => created.metadata.labels)) {
    if (action.itemCreated === undefined) continue;
    const context = actionContextOf(run, log.child({ action: action.name }));
    const start = async () => (await action.itemCreated?.({ item: created, itemFromBackup }, context, signal)) ?? [];
    try {
      for (const operationId of await runAction(action.name, start, signal))
        run.addOperation(operationOf(run, item, action.name, operationId));
    } catch (error) {
      signal.throwIfAborted();
      context.log.error({ err: error }, 'Error starting what the restored item needs');
    }
  }
}
