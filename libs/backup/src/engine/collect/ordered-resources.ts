import { isAppError } from '@lateen/errors';
import type { Logger } from '@lateen/kernel';
import { isNotFound, type KubeApi, type Unstructured } from '@lateen/kube';
import { heldKey } from '../blocks/held-items.ts';
import type { ItemBlock } from '../blocks/item-blocks.ts';
import type { EngineParts } from '../engine-parts.ts';
import { type Item, itemOf } from '../items/item.ts';
import { placeText } from '../items/item-record.ts';
import type { ItemType } from '../items/item-type.ts';
import type { ApiCalls } from './api-calls.ts';

/** Objects of one resource that are backed up first, one after the other. */
export interface OrderedResource {
  readonly type: ItemType;
  readonly keys: readonly { namespace?: string; name: string }[];
}

/** Interprets `spec.orderedResources`; an entry without a meaning is a warning. */
export function orderedResources(
  spec: Readonly<Record<string, string>> | null | undefined,
  { knownTypes, request, ports }: Pick<EngineParts, 'knownTypes' | 'request' | 'ports'>,
): OrderedResource[] {
  return Object.entries(spec ?? {}).flatMap(([resource, list]) => {
    const type = knownTypes.named(resource.trim());
    if (type === undefined || request.filters.listPlan(type.type) === undefined) {
      const why = type === undefined ? 'the cluster has no such resource' : 'the backup does not include it';
      ports.log.warn({ resource, reason: why }, 'ordered resource has no effect');
      return [];
    }
    const texts = list.split(',').map((text) => text.trim());
    return [{ type, keys: texts.filter((text) => text !== '').map((text) => keyIn(text)) }];
  });
}

/** `namespace/name` or `name`. */
function keyIn(text: string): { namespace?: string; name: string } {
  const [name = '', namespace] = text.split('/', 2).toReversed();
  return namespace === undefined ? { name } : { namespace, name };
}

/** Backs up ordered items of types that are not part of blocks, one after the other. @throws what ends the whole backup */
export async function backUpOrdered(
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

/** The blocks of ordered items, in their order, and all others. */
export function orderedBlocks(
  resources: readonly OrderedResource[],
  blocks: readonly ItemBlock[],
  log: Logger,
): { first: ItemBlock[]; rest: ItemBlock[] } {
  const blockOf = new Map(resources.length === 0 ? [] : blocks.flatMap((block) => block.map((key) => [key, block])));
  const first = new Set<ItemBlock>();
  for (const { type, keys } of resources) {
    for (const { namespace, name } of keys) {
      const block = blockOf.get(heldKey({ type, namespace, name }));
      if (block !== undefined) first.add(block);
      else {
        const where = namespace === undefined ? {} : { namespace };
        log.warn({ resource: type.groupResource, ...where, name }, 'ordered item is not in the backup');
      }
    }
  }
  return { first: [...first], rest: blocks.filter((block) => !first.has(block)) };
}

/** Reads the object of an ordered resource; undefined, with a warning, when it does not exist. @throws why it cannot be read */
async function readOrdered(
  type: ItemType,
  key: { namespace?: string; name: string },
  { kube, calls, log }: { kube: KubeApi; calls: ApiCalls; log: Logger },
  signal: AbortSignal,
): Promise<Item | undefined> {
  const options = { numbers: 'exact' } as const;
  try {
    const object = await calls.run(
      (either) => kube.get(type.type, key, { ...options, signal: either }) as Promise<Unstructured>,
      signal,
    );
    return itemOf(type, object);
  } catch (error) {
    signal.throwIfAborted();
    if (!isNotFound(error) && !isAppError(error, 'KUBE_BAD_REQUEST')) throw error;
    const { name } = key;
    const where = key.namespace === undefined ? {} : { namespace: key.namespace };
    log.warn({ resource: type.groupResource, ...where, name }, 'ordered item is not in the cluster');
    return undefined;
  }
}

/** Items that are skipped in lists because they were backed up in their order already. */
export class OrderedItems {
  readonly #places = new Map<ItemType['gvk'], Set<string>>();

  add(item: Item): void {
    const { gvk } = item.type;
    this.#places.set(gvk, (this.#places.get(gvk) ?? new Set()).add(placeText(item)));
  }

  has(item: Item): boolean {
    return this.#places.get(item.type.gvk)?.has(placeText(item)) ?? false;
  }

  without(items: readonly Item[]): readonly Item[] {
    const [first] = items;
    const places = first === undefined ? undefined : this.#places.get(first.type.gvk);
    return places === undefined ? items : items.filter((item) => !places.has(placeText(item)));
  }
}
