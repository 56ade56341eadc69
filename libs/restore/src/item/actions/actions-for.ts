import { type RestoreItemAction, selects, selectsResource } from '@lateen/item-actions';
import type { CatalogItem } from '../../engine/contract.ts';
import type { ItemRun } from '../../engine/item-run.ts';

/** Actions that see items of a resource at all, by the run and the resource: most items then need no further look. */
const known = new WeakMap<ItemRun, Map<string, readonly RestoreItemAction[]>>();

/** The actions that want to see an item, in their order. Labels are read for each, since the one before may have changed them. */
export function* actionsFor(
  run: ItemRun,
  { groupResource, namespace }: CatalogItem,
  labelsNow: () => Readonly<Record<string, string>> | null | undefined,
): Generator<RestoreItemAction> {
  // As for the filters of the target: an action is asked about where the item goes.
  const target = namespace === undefined ? undefined : run.namespaces.mapped(namespace);
  for (const action of ofResource(run, groupResource))
    if (selects(action.appliesTo, { groupResource, namespace: target, labels: labelsNow() ?? undefined })) yield action;
}

function ofResource(run: ItemRun, groupResource: string): readonly RestoreItemAction[] {
  const byResource = known.get(run) ?? new Map<string, readonly RestoreItemAction[]>();
  known.set(run, byResource);
  const found =
    byResource.get(groupResource) ?? run.ports.actions.filter((each) => selectsResource(each.appliesTo, groupResource));
  byResource.set(groupResource, found);
  return found;
}
