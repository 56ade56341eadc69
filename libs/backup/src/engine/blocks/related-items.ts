import { isAppError } from '@lateen/errors';
import { type ActionContext, type ItemIdentifier, selects } from '@lateen/item-actions';
import { type Item, logFieldsOf } from '../items/item.ts';
import type { ItemType } from '../items/item-type.ts';
import type { KnownTypes } from '../items/known-types.ts';
import { asPod, claimsOf } from '../volumes/claim-index.ts';

/** An object that belongs to the block of another one. */
export interface RelatedItem {
  readonly id: ItemIdentifier;
  readonly type: ItemType;
  /** The action that named it. */
  readonly by: string;
}

/** The items that item block actions relate to an item, and the claims that a pod mounts. A failed action is an error of that item. */
export async function relatedItems(
  item: Item,
  context: ActionContext,
  types: KnownTypes,
  signal: AbortSignal,
): Promise<RelatedItem[]> {
  const { type, namespace, object } = item;
  const bound = { ...context, log: context.log.child(logFieldsOf(item)) };
  const related: RelatedItem[] = [];
  const add = async (id: ItemIdentifier, by: string) => related.push({ id, by, type: await types.find(id, signal) });
  for (const id of mountedClaims(item)) await add(id, 'engine');
  for (const action of type.blockActions) {
    const { labels } = object.metadata;
    if (!selects(action.appliesTo, { groupResource: type.groupResource, namespace, labels })) continue;
    try {
      for (const id of await action.relatedItems(object, bound, signal)) await add(id, action.name);
    } catch (error) {
      signal.throwIfAborted();
      if (!isAppError(error) && !(error instanceof Error)) throw error;
      bound.log.error({ action: action.name, err: error }, 'Error finding the items that belong to one block');
    }
  }
  return related;
}

function mountedClaims({ type, object, namespace = '' }: Item): ItemIdentifier[] {
  if (type.groupResource !== 'pods') return [];
  return claimsOf(asPod(object)).map((name) => ({ group: '', resource: 'persistentvolumeclaims', namespace, name }));
}
