import { namespaceType } from '@lateen/api-types';
import { eachAtOnce } from '@lateen/kernel';
import type { EngineParts } from '../engine-parts.ts';
import type { Item } from '../items/item.ts';
import type { ItemType } from '../items/item-type.ts';
import { definitionsOf, definitionsResource } from './definitions.ts';
import { type ListTask, listRange, listTasksOf } from './list-type.ts';
import { keptNamespaces, tellMissingNamespaces } from './namespaces.ts';
import { OrderedItems, type OrderedResource, orderedResources, readOrdered } from './ordered-resources.ts';

/** Everything that the filters choose, into the archive. @throws what ends the whole backup */
export async function collectItems(parts: EngineParts, signal: AbortSignal): Promise<void> {
  const { request, types, knownTypes, ports, additional } = parts;
  for (const warning of request.filters.warnings) ports.log.warn({}, warning);
  const isListed = (type: ItemType['type']) => request.filters.listPlan(type) !== undefined;
  const ordered = orderedResources(request.backup.spec.orderedResources, knownTypes, isListed, ports.log);
  const done = await backUpOrdered(ordered, parts, signal);
  await eachAtOnce(listTasks(types, parts), ports.limits.listsMax, (task) => listAndBackUp(task, done, parts, signal));
  await additional.drain(signal);
  await backUpNamespaces(parts, signal);
  addDefinitions(parts);
  await additional.drain(signal);
}

async function backUpOrdered(
  resources: readonly OrderedResource[],
  { ports, calls, items, record }: EngineParts,
  signal: AbortSignal,
): Promise<OrderedItems> {
  const done = new OrderedItems();
  for (const { type, keys } of resources) {
    for (const key of keys) {
      const item = await readOrdered(type, key, { ...ports, calls }, signal);
      if (item === undefined || done.has(item) || !items.takes(item)) continue;
      done.add(item);
      record.expect(1);
      await items.backUp(item, signal);
    }
  }
  return done;
}

/** One list for each type, namespace and selector. */
function* listTasks(types: readonly ItemType[], { request }: EngineParts): Generator<ListTask> {
  for (const type of types) {
    const plan = request.filters.listPlan(type.type);
    if (plan !== undefined) yield* listTasksOf(type, plan);
  }
}

function listAndBackUp(task: ListTask, done: OrderedItems, parts: EngineParts, signal: AbortSignal): Promise<void> {
  const onPage = (items: readonly Item[]) => parts.items.backUpPage(done.without(items), signal);
  return listRange(task, parts.lists, onPage, signal);
}

/** Last, because a namespace is kept for what is in it. */
async function backUpNamespaces(parts: EngineParts, signal: AbortSignal): Promise<void> {
  const { request, types, lists, items, record, ports } = parts;
  const present = new Set<string>();
  const type = types.find(({ type }) => type.group === '' && type.resource === namespaceType.resource);
  if (type === undefined) return;
  const onPage = async (page: readonly Item[]) => {
    for (const { name } of page) present.add(name);
    return await items.backUpPage(keptNamespaces(page, request.filters, record), signal);
  };
  await listRange({ type, range: {} }, lists, onPage, signal);
  tellMissingNamespaces(request.filters, request.backup.spec.includedNamespaces ?? [], present, ports.log);
}

/** Custom resources come with what defines them, unless the filters speak of definitions themselves. */
function addDefinitions({ request, record, additional, knownTypes }: EngineParts): void {
  const definitions = knownTypes.named(definitionsResource);
  if (definitions === undefined || request.filters.listPlan(definitions.type) !== undefined) return;
  additional.add(definitionsOf(record.types), { by: definitionsResource, mustInclude: false, mayBeAbsent: true });
}
