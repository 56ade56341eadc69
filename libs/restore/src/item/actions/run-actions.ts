import { annotations, type Unstructured } from '@lateen/api-types';
import { type RestoreOperation, resourceIdentifierOf } from '@lateen/backup-store';
import { type RestoreItemResult, runAction, withoutAnnotations } from '@lateen/item-actions';
import type { Logger } from '@lateen/kernel';
import { apiTime } from '@lateen/kube';
import type { CatalogItem } from '../../engine/contract.ts';
import type { ItemRun } from '../../engine/item-run.ts';
import { actionContextOf } from './action-context.ts';
import { actionsFor } from './actions-for.ts';
import { waitForItems } from './wait-for-items.ts';

export interface ActionInput {
  item: CatalogItem;
  /** The object as it would be created: metadata reset, without status, still in the namespace of the backup. */
  object: Unstructured;
  /** The object as it is stored in the backup. */
  itemFromBackup: Unstructured;
  /** Logs with the fields of the restored item. */
  log: Logger;
}

/** The result of the actions on an item. */
export type ActedOn =
  | { object: Unstructured }
  /** An action has excluded the item from the restore. */
  | { object: undefined; skippedBy: string };

/**
 * Passes an item through each action that applies to it, in their order; each gets the result of the one before. Additional items that an
 * action names are restored before the next action runs, and waited for when the action asks for it; that wait holds up no other item.
 * Additional items that do not become ready are an error of the restore, and the item is restored all the same.
 */
export async function runActions(run: ItemRun, input: ActionInput, signal: AbortSignal): Promise<ActedOn> {
  const { item, itemFromBackup, log } = input;
  let { object } = input;
  for (const action of actionsFor(run, item, () => object.metadata.labels)) {
    const context = actionContextOf(run, log.child({ action: action.name }));
    const given = { item: object, itemFromBackup };
    const result = await runAction(action.name, () => action.execute(given, context, signal), signal);
    const { operationId = '' } = result;
    if (operationId !== '') run.addOperation(operationOf(run, item, action.name, operationId));
    if (result.skipRestore === true) return { object: undefined, skippedBy: action.name };
    const { updated, mustInclude } = strippedOf(result);
    object = updated;
    const named = result.additionalItems ?? [];
    const restored =
      named.length === 0 ? [] : await run.additional.restore(item, named, { mustInclude, by: action.name }, signal);
    await waitForItems(run, { item, action, result, restored, context }, signal);
  }
  return { object: withoutMark(object) };
}

/** Removes the mark of this action's additional items: it must not apply to those of the next action, nor reach the cluster. */
function strippedOf({ updatedItem }: RestoreItemResult): { updated: Unstructured; mustInclude: boolean } {
  const mustInclude = updatedItem.metadata.annotations?.[annotations.mustIncludeAdditionalItemsAtRestore] === 'true';
  return { updated: withoutMark(updatedItem), mustInclude };
}

const withoutMark = (object: Unstructured): Unstructured =>
  withoutAnnotations(object, [annotations.mustIncludeAdditionalItemsAtRestore]);

export function operationOf(
  run: ItemRun,
  item: CatalogItem,
  restoreItemAction: string,
  operationID: string,
): RestoreOperation {
  const { name: restoreName = '', uid: restoreUID = '' } = run.request.restore.metadata;
  const [resource = '', ...group] = item.groupResource.split('.');
  const namespace = item.namespace === undefined ? undefined : run.namespaces.mapped(item.namespace);
  return {
    spec: {
      restoreName,
      restoreUID,
      restoreItemAction,
      resourceIdentifier: resourceIdentifierOf({ group: group.join('.'), resource, namespace, name: item.name }),
      operationID,
    },
    status: { phase: 'New', created: apiTime(run.ports.clock.now()) },
  };
}
