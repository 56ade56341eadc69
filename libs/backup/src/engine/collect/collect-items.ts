import { namespaceType } from '@lateen/api-types';
import { eachAtOnce } from '@lateen/kernel';
import { type ItemBlock, ItemBlocks } from '../blocks/item-blocks.ts';
import { type HookTotals, runBlock } from '../blocks/run-block.ts';
import type { EngineParts } from '../engine-parts.ts';
import type { Item } from '../items/item.ts';
import type { ItemType } from '../items/item-type.ts';
import { asVolume } from '../volumes/claim-index.ts';
import { definitionsOf, definitionsResource } from './definitions.ts';
import { tellDownGroups } from './down-groups.ts';
import type { ListTask } from './list-task.ts';
import { listRange, listTasksOf } from './list-type.ts';
import { keptNamespaces, tellMissingNamespaces } from './namespaces.ts';
import { backUpOrdered, type OrderedItems, orderedBlocks, orderedResources } from './ordered-resources.ts';
import { readMissingVolumeFacts } from './volume-facts.ts';

/**
 * Backs up everything that the filters choose; blocks run at the same time as the other objects.
 * @param fail ends all parts when one of them fails. @throws what ends the whole backup
 */
export async function collectItems(
  parts: EngineParts,
  totals: HookTotals,
  fail: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const { request, ports, additional } = parts;
  for (const warning of request.filters.warnings) ports.log.warn({}, warning);
  const ordered = orderedResources(request.backup.spec.orderedResources, parts);
  const done = await backUpOrdered(
    ordered.filter(({ type }) => !isFirst(type, parts)),
    parts,
    signal,
  );
  const orderedFirst = ordered.filter(({ type }) => isFirst(type, parts));
  const blocks = new ItemBlocks(
    parts,
    orderedFirst.map(({ type }) => type),
  );
  const inBlocks = async () => {
    await listAll(
      parts.types.filter((type) => isFirst(type, parts)),
      parts,
      blocks,
      done,
      signal,
    );
    await readMissingVolumeFacts(parts, signal);
    const { first, rest } = orderedBlocks(orderedFirst, await blocks.build(signal), ports.log);
    for (const block of first) await runBlock(block, blocks.held, parts, totals, signal);
    // Blocks with hooks may take as long as their volumes are read: the others must not wait behind them.
    const lanes = [rest.filter((block) => blocks.hasHooks(block)), rest.filter((block) => !blocks.hasHooks(block))];
    const run = (lane: readonly ItemBlock[]) =>
      eachAtOnce(lane, ports.limits.itemBlockWorkers, (block) => runBlock(block, blocks.held, parts, totals, signal));
    await allOf(lanes.map(run), fail);
  };
  const others = parts.types.filter((type) => !isFirst(type, parts));
  await allOf([inBlocks(), listAll(others, parts, blocks, done, signal), tellDownGroups(parts, signal)], fail);
  await additional.drain(signal);
  await backUpNamespaces(parts, signal);
  addDefinitions(parts);
  await additional.drain(signal);
}

/** Types that have to be listed before blocks are built: the members of blocks, and volumes when policies need them. */
const isFirst = (type: ItemType, { volumes }: EngineParts): boolean =>
  type.inBlocks || (type.groupResource === 'persistentvolumes' && volumes.needsVolumes);

/** Settles when all works have ended; a failure of one aborts the others. */
async function allOf(works: readonly Promise<void>[], fail: (error: unknown) => void): Promise<void> {
  for (const work of works) work.catch(fail);
  const ends = await Promise.allSettled(works);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** Lists all types; half of the parallel lists are for the types of blocks, half for all others. */
function listAll(
  types: readonly ItemType[],
  parts: EngineParts,
  blocks: ItemBlocks,
  done: OrderedItems,
  signal: AbortSignal,
): Promise<void> {
  const atOnceMax = Math.max(1, Math.floor(parts.ports.limits.listsMax / 2));
  const onPage = async (type: ItemType, page: readonly Item[]) => {
    const { volumes, items } = parts;
    if (type.groupResource === 'persistentvolumes' && volumes.needsVolumes)
      for (const { object } of page) volumes.index.addVolume(asVolume(object));
    if (type.inBlocks) return await blocks.takePage(page, signal);
    return await items.backUpPage(done.without(page), signal);
  };
  return eachAtOnce(listTasks(types, parts), atOnceMax, (task) =>
    listRange(task, parts.lists, (page) => onPage(task.type, page), signal),
  );
}

/** One list for each type, namespace and selector. */
function* listTasks(types: readonly ItemType[], { request }: EngineParts): Generator<ListTask> {
  for (const type of types) {
    const plan = request.filters.listPlan(type.type);
    if (plan !== undefined) yield* listTasksOf(type, plan);
  }
}

/** Runs last, because a namespace is kept when something in it is stored. */
async function backUpNamespaces(parts: EngineParts, signal: AbortSignal): Promise<void> {
  const { request, types, lists, items, record, ports } = parts;
  const present = new Set<string>();
  const type = types.find(({ groupResource }) => groupResource === namespaceType.resource);
  if (type === undefined) return;
  const onPage = async (page: readonly Item[]) => {
    for (const { name } of page) present.add(name);
    return await items.backUpPage(keptNamespaces(page, request.filters, record), signal);
  };
  await listRange({ type, range: {} }, lists, onPage, signal);
  tellMissingNamespaces(request.filters, request.backup.spec.includedNamespaces ?? [], present, ports.log);
}

/** Adds the CRDs of stored custom resources, unless the filters themselves mention CRDs. */
function addDefinitions({ request, record, additional, knownTypes }: EngineParts): void {
  const definitions = knownTypes.named(definitionsResource);
  if (definitions === undefined || request.filters.listPlan(definitions.type) !== undefined) return;
  additional.add(definitionsOf(record.types), { by: definitionsResource, mustInclude: false, mayBeAbsent: true });
}
