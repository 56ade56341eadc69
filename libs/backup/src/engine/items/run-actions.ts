import { annotations, type Unstructured } from '@lateen/api-types';
import { type BackupOperation, resourceIdentifierOf } from '@lateen/backup-store';
import { type ActionContext, type ItemIdentifier, runAction, selects, withoutAnnotations } from '@lateen/item-actions';
import { apiTime } from '@lateen/kube';
import { type Item, logFieldsOf } from './item.ts';
import { type Trouble, Troubles } from './troubles.ts';

/** The result of the actions on an item. */
export interface ActedOn {
  /** The object to store; absent when an action leaves it out. */
  object: Unstructured | undefined;
  /** The action that leaves it out. */
  skippedBy?: string;
  /** The first warning or error that an action logged about the item. */
  trouble?: Trouble;
}

export interface ActionEffects {
  /** Called as soon as an action names additional items, even if a later action fails. */
  addItems(items: readonly ItemIdentifier[], how: { by: string; mustInclude: boolean }): void;
  addOperation(operation: BackupOperation): void;
}

/**
 * Passes an item through each action that applies to it, in their order; each gets the result of the one before.
 * @throws ITEM_ACTION_FAILED with the action's name and its error as cause; the signal's reason
 */
export async function runActions(
  item: Item,
  context: ActionContext,
  effects: ActionEffects,
  signal: AbortSignal,
): Promise<ActedOn> {
  let { object } = item;
  const { groupResource } = item.type;
  const troubles = new Troubles();
  for (const action of item.type.actions) {
    const { labels } = object.metadata;
    if (!selects(action.appliesTo, { groupResource, namespace: item.namespace, labels })) continue;
    const log = troubles.watch(action.name, context.log.child(logFieldsOf(item)));
    const given = object;
    const result = await runAction(action.name, () => action.execute(given, { ...context, log }, signal), signal);
    const said = result.item.metadata.annotations ?? {};
    if (said[annotations.skipFromBackup] !== undefined && said[annotations.skipFromBackup] !== 'false')
      return { object: undefined, skippedBy: action.name };
    const mustInclude = said[annotations.mustIncludeAdditionalItems] === 'true';
    // The annotation is about the additional items of this action, not of the next one.
    object = mustInclude ? withoutAnnotations(result.item, [annotations.mustIncludeAdditionalItems]) : result.item;
    if (result.operationId !== undefined && result.operationId !== '') {
      const post = result.postOperationItems ?? [];
      effects.addOperation(operationOf(item, action.name, result.operationId, post, context));
    }
    effects.addItems(result.additionalItems ?? [], { by: action.name, mustInclude });
  }
  return { object, ...(troubles.first === undefined ? {} : { trouble: troubles.first }) };
}

function operationOf(
  item: Item,
  backupItemAction: string,
  operationID: string,
  postOperationItems: readonly ItemIdentifier[],
  { backup, clock }: ActionContext,
): BackupOperation {
  const { group, resource } = item.type.type;
  const { name: backupName = '', uid: backupUID = '' } = backup.metadata;
  return {
    spec: {
      backupName,
      backupUID,
      backupItemAction,
      resourceIdentifier: resourceIdentifierOf({ group, resource, namespace: item.namespace, name: item.name }),
      operationID,
      postOperationItems: postOperationItems.map(resourceIdentifierOf),
    },
    status: { phase: 'New', created: apiTime(clock.now()) },
  };
}
