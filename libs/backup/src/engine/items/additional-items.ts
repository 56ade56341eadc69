import { describeError, isAppError } from '@lateen/errors';
import type { ItemIdentifier } from '@lateen/item-actions';
import { eachAtOnce, type Logger } from '@lateen/kernel';
import { canExist, isNotFound, type KubeApi, type Unstructured } from '@lateen/kube';
import type { ApiCalls } from '../collect/api-calls.ts';
import type { EngineLimits } from '../engine-limits.ts';
import { type Item, itemOf, logFieldsOf } from './item.ts';
import type { ItemBackup } from './item-backup.ts';
import { type ItemRecord, placeText } from './item-record.ts';
import type { ItemType } from './item-type.ts';
import type { KnownTypes } from './known-types.ts';

/** Which action named an object, and how. */
export interface Naming {
  /** The action. */
  by: string;
  /** The filters do not apply to the object. */
  mustInclude: boolean;
  /** A missing object is not reported. */
  mayBeAbsent?: boolean;
}

interface Named extends Naming {
  id: ItemIdentifier;
}

interface Wanted extends Named {
  type: ItemType;
}

export interface AdditionalItemsParts {
  kube: KubeApi;
  calls: ApiCalls;
  log: Logger;
  record: ItemRecord;
  items: ItemBackup;
  types: KnownTypes;
  limits: Pick<EngineLimits, 'itemsMax'>;
}

/**
 * Objects that actions name in addition to those of the lists: each is backed up once, however many actions name it, and only if no list
 * contained it. They are read after the lists, so that no memory of every object is needed; the objects that they name follow.
 */
export class AdditionalItems {
  readonly #parts: AdditionalItemsParts;
  /** Objects seen so far by type and place; true: the filters did not apply. */
  readonly #seen = new Map<string, boolean>();
  #waiting: Named[] = [];

  constructor(parts: AdditionalItemsParts) {
    this.#parts = parts;
  }

  add(ids: readonly ItemIdentifier[], naming: Naming): void {
    const { mustInclude } = naming;
    for (const id of ids) {
      const key = `${id.resource}.${id.group} ${id.namespace ?? ''}/${id.name}`;
      const before = this.#seen.get(key);
      // Repeated only when the filters applied before and do not apply now.
      if (before === true || (before === false && !mustInclude)) continue;
      this.#seen.set(key, mustInclude);
      this.#waiting.push({ ...naming, id });
    }
  }

  /** Backs up all named objects until no new ones are named. Call it when nothing else is being stored. */
  async drain(signal: AbortSignal): Promise<void> {
    const { limits } = this.#parts;
    while (this.#waiting.length > 0) {
      const wanted: Wanted[] = [];
      for (const one of this.#waiting.splice(0)) {
        const type = await this.#typeOf(one, signal);
        if (type !== undefined) wanted.push({ ...one, type });
      }
      const missing = this.#notStored(wanted);
      await eachAtOnce(missing, limits.itemsMax, (one) => this.#backUp(one, signal));
    }
  }

  async #typeOf({ id, by }: Named, signal: AbortSignal): Promise<ItemType | undefined> {
    const { types, log } = this.#parts;
    try {
      return await types.find(id, signal);
    } catch (error) {
      signal.throwIfAborted();
      const { resource, group, namespace, name } = id;
      const where = namespace === undefined ? {} : { namespace };
      const named = group === '' ? resource : `${resource}.${group}`;
      log.warn({ resource: named, ...where, name, action: by, err: error }, 'additional item is of no known resource');
      return undefined;
    }
  }

  /** Removes objects that a list or a block has already brought into the archive. */
  #notStored(wanted: readonly Wanted[]): Wanted[] {
    const byType = Map.groupBy(wanted, ({ type }) => type);
    return [...byType].flatMap(([type, those]) => {
      const stored = this.#parts.record.storedOf(type, new Set(those.map((one) => placeText(recordedOf(one)))));
      return those.filter((one) => {
        const item = recordedOf(one);
        if (stored.has(placeText(item))) return false;
        // An object that failed, or that an action left out, would end the same way again. One left out by the filters may be included now.
        return one.mustInclude || !this.#parts.record.hasProblem(item);
      });
    });
  }

  async #backUp(wanted: Wanted, signal: AbortSignal): Promise<void> {
    const { items, record } = this.#parts;
    const object = await this.#read(wanted, signal);
    if (object === undefined) return;
    const item: Item = itemOf(wanted.type, object);
    if (!items.takes(item, { additional: true, mustInclude: wanted.mustInclude })) return;
    record.expect(1);
    await items.backUp(item, signal);
  }

  async #read(wanted: Wanted, signal: AbortSignal): Promise<Unstructured | undefined> {
    const { kube, calls, log, record } = this.#parts;
    const item = recordedOf(wanted);
    const { type } = wanted.type;
    const fields = { ...logFieldsOf(item), action: wanted.by };
    const key = item.namespace === undefined ? { name: item.name } : { namespace: item.namespace, name: item.name };
    if (!canExist(type, key)) {
      log.warn(fields, 'additional item has no name that an object can have');
      return undefined;
    }
    try {
      const options = { numbers: 'exact' } as const;
      return await calls.run(
        (either) => kube.get(type, key, { ...options, signal: either }) as Promise<Unstructured>,
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      if (!isAppError(error)) throw error;
      if (isNotFound(error)) {
        if (wanted.mayBeAbsent !== true) log.warn(fields, 'additional item is not in the cluster');
      } else {
        log.error({ ...fields, err: error }, 'Error backing up item');
        record.noted(item, { outcome: 'Failed', reason: describeError(error), by: wanted.by });
      }
      return undefined;
    }
  }
}

const recordedOf = ({ type, id }: Pick<Wanted, 'type' | 'id'>) => ({
  type,
  namespace: type.type.namespaced ? id.namespace : undefined,
  name: id.name,
});
