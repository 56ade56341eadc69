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
  /** As it would be created: metadata reset, without status, still in the namespace of the backup. */
  object: Unstructured;
  /** As it is stored in the backup. */
  itemFromBackup: Unstructured;
  /** Bound to the item as it is restored. */
  log: Logger;
}

/** What the actions made of an item. */
export type ActedOn =
  | { object: Unstructured }
  /** An action wants it not restored. */
  | { object: undefined; skippedBy: string };

/**
 * Shows an item to each action that wants to see it, in their order; each gets what the one before has made of it. What an action
 * names beside the item is restored before the next action sees it, and waited for where the action says so; that wait holds up nobody
 * else. Additional items that do not become ready are an error of the restore, and the item is restored all the same.
 * @throws ITEM_ACTION_FAILED with the action's name and its error as cause; the signal's reason
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

/** The mark is about this action's items, not about those of the next, and never reaches the cluster. */
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
