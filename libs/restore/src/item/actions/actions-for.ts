import { type RestoreItemAction, selects, selectsResource } from '@lateen/item-actions';
import type { CatalogItem } from '../../engine/contract.ts';
import type { ItemRun } from '../../engine/item-run.ts';

/** The actions that apply to a resource, cached by run and resource: most items then need no further check. */
const known = new WeakMap<ItemRun, Map<string, readonly RestoreItemAction[]>>();

/** The actions that apply to an item, in their order. Labels are read before each, because the previous action may have changed them. */
export function* actionsFor(
  run: ItemRun,
  { groupResource, namespace }: CatalogItem,
  labelsNow: () => Readonly<Record<string, string>> | null | undefined,
): Generator<RestoreItemAction> {
  // Actions select by the target namespace, like the filters of the target.
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
