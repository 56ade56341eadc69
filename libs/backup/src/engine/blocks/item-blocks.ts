import { backupHooksOf } from '@lateen/hooks';
import { eachAtOnce } from '@lateen/kernel';
import { isNotFound, type Unstructured } from '@lateen/kube';
import type { EngineParts } from '../engine-parts.ts';
import { type Item, itemOf, logFieldsOf } from '../items/item.ts';
import { placeText, type RecordedItem } from '../items/item-record.ts';
import type { ItemType } from '../items/item-type.ts';
import { asClaim, asPod, asVolume, claimsOf } from '../volumes/claim-index.ts';
import { ConnectedKeys } from './connected.ts';
import { HeldItems, heldKey } from './held-items.ts';
import { type RelatedItem, relatedItems } from './related-items.ts';

/** Keys of held items that are backed up together; hooks run around all of them. */
export type ItemBlock = readonly string[];

/**
 * Groups objects that must be backed up together: pods with hooks or claims, their claims, other pods that use these claims, their volumes
 * if these get native snapshots, and items that item block actions relate to them. It holds those objects while their types are listed, and
 * passes all others on.
 */
export class ItemBlocks {
  readonly held: HeldItems;
  readonly #parts: EngineParts;
  /** Types of which every object is held, because some of them have to come first. */
  readonly #orderedTypes: ReadonlySet<string>;
  /** Keys of pods with hooks. */
  readonly #hooked = new Set<string>();
  /** Keys of related items that do not exist or cannot be read. */
  readonly #absent = new Set<string>();

  constructor(parts: EngineParts, orderedTypes: readonly ItemType[]) {
    this.#parts = parts;
    this.held = new HeldItems(parts.ports.limits.heldBytesMax);
    this.#orderedTypes = new Set(orderedTypes.map(({ gvk }) => gvk));
  }

  /** Takes a page of a list of a block type. @returns how many bytes were stored or held */
  async takePage(items: readonly Item[], signal: AbortSignal): Promise<number> {
    const passing: Item[] = [];
    const before = this.held.bytes;
    for (const item of items) {
      const isTaken = this.#parts.items.takes(item);
      this.#index(item, isTaken);
      if (!isTaken) continue;
      if (await this.#belongsToBlock(item, signal)) this.#hold(item);
      else passing.push(item);
    }
    return this.held.bytes - before + (await this.#parts.items.backUpTaken(passing, signal));
  }

  /** Builds the blocks. Call it when all block types are listed. */
  async build(signal: AbortSignal): Promise<ItemBlock[]> {
    const sets = new ConnectedKeys();
    for (let round = this.held.keys(); round.length > 0; ) {
      const found: string[] = [];
      for (const key of round) sets.add(key);
      await eachAtOnce(round, this.#parts.ports.limits.itemsMax, async (key) => {
        const { ports, calls, context, knownTypes } = this.#parts;
        const item = await this.held.read(key, ports.kube, calls, signal);
        if (item === undefined) return;
        for (const related of await relatedItems(item, context, knownTypes, signal)) {
          const other = await this.#heldKeyOf(related, found, signal);
          if (other !== undefined) sets.join(key, other);
        }
      });
      round = found;
    }
    return sets.sets();
  }

  /** Whether hooks run around the block: then it may hold its pods until their volumes are read. */
  hasHooks(block: ItemBlock): boolean {
    return block.some((key) => this.#hooked.has(key));
  }

  #hold(item: Item): void {
    this.held.hold(item);
    if (item.type.groupResource === 'pods' && this.#hasHooks(item)) this.#hooked.add(heldKey(item));
    this.#parts.record.expect(1);
  }

  #index(item: Item, isTaken: boolean): void {
    const { index } = this.#parts.volumes;
    if (item.type.groupResource === 'pods') index.addPod(asPod(item.object), isTaken);
    if (item.type.groupResource === 'persistentvolumeclaims') index.addClaim(asClaim(item.object));
  }

  async #belongsToBlock(item: Item, signal: AbortSignal): Promise<boolean> {
    const { groupResource, gvk } = item.type;
    if (groupResource === 'persistentvolumeclaims' || this.#orderedTypes.has(gvk)) return true;
    if (groupResource === 'pods' && (claimsOf(asPod(item.object)).length > 0 || this.#hasHooks(item))) return true;
    // The volume's block is found by its claim when all claims are known.
    if (groupResource === 'persistentvolumes' && asVolume(item.object).spec.claimRef !== undefined) return true;
    const { context, knownTypes, additional } = this.#parts;
    const related = await relatedItems(item, context, knownTypes, signal);
    if (related.some(({ type }) => type.inBlocks)) return true;
    for (const { id, by } of related) additional.add([id], { by, mustInclude: false });
    return false;
  }

  #hasHooks({ object }: Item): boolean {
    const { hooks } = this.#parts.request.backup.spec;
    return (['pre', 'post'] as const).some((phase) => backupHooksOf(asPod(object), phase, hooks).length > 0);
  }

  /** The key of a related item, which is held from now on if it was not yet; undefined when the item is not part of blocks. */
  async #heldKeyOf({ id, type, by }: RelatedItem, found: string[], signal: AbortSignal): Promise<string | undefined> {
    if (!type.inBlocks) {
      this.#parts.additional.add([id], { by, mustInclude: false });
      return undefined;
    }
    const recorded = { type, namespace: type.type.namespaced ? id.namespace : undefined, name: id.name };
    const key = heldKey(recorded);
    if (this.held.has(key)) return key;
    if (this.#absent.has(key) || this.#parts.record.storedOf(type, new Set([placeText(recorded)])).size > 0)
      return undefined;
    this.#absent.add(key);
    const item = await this.#read(recorded, signal);
    if (item === undefined || !this.#parts.items.takes(item, { additional: true })) return undefined;
    this.#absent.delete(key);
    this.#index(item, true);
    this.#hold(item);
    found.push(key);
    return key;
  }

  async #read({ type, namespace, name }: RecordedItem, signal: AbortSignal): Promise<Item | undefined> {
    const { ports, calls } = this.#parts;
    const key = namespace === undefined ? { name } : { namespace, name };
    try {
      const object = await calls.run(
        (either) => ports.kube.get(type.type, key, { numbers: 'exact', signal: either }) as Promise<Unstructured>,
        signal,
      );
      return itemOf(type, object);
    } catch (error) {
      signal.throwIfAborted();
      const fields = logFieldsOf({ type, namespace, name });
      // An action that names it as an additional item reports that it is missing.
      if (isNotFound(error)) ports.log.info(fields, 'related item is not in the cluster');
      else ports.log.error({ ...fields, err: error }, 'Error reading related item');
      return undefined;
    }
  }
}
