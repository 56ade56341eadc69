import { labels } from '@lateen/api-types';
import { describeError, isAppError } from '@lateen/errors';
import type { ActionContext } from '@lateen/item-actions';
import type { BackupFilters } from '@lateen/item-filters';
import { eachAtOnce } from '@lateen/kernel';
import type { EngineLimits } from '../engine-limits.ts';
import { factsOf, type Item, logFieldsOf } from './item.ts';
import { filtersName, type ItemRecord } from './item-record.ts';
import type { ItemSink } from './item-sink.ts';
import type { ItemType } from './item-type.ts';
import { type ActionEffects, runActions } from './run-actions.ts';
import { storedText } from './stored-text.ts';
import type { Trouble } from './troubles.ts';

export interface ItemBackupParts {
  filters: BackupFilters;
  context: ActionContext;
  effects: ActionEffects;
  sink: ItemSink;
  record: ItemRecord;
  limits: Pick<EngineLimits, 'itemsMax'>;
  /** Called for each item that is stored, or would be without its problem, before its actions run. */
  onItem(item: Item): void;
  /** The function that backs up the data of objects of a type; undefined for types without data. */
  takerOf(type: ItemType): TakeData | undefined;
}

/**
 * Called for each such object that is stored, after its actions. @returns whether the callee reports the object's outcome, now or later
 * @throws the signal's reason
 */
export type TakeData = (item: Item, trouble: Trouble | undefined, signal: AbortSignal) => Promise<boolean>;

/** How the backup came upon an item. */
export interface Arrival {
  /** An action named it, or an item of a block is related to it: no list contained it. */
  additional?: boolean;
  /** The action that named it says that filters do not apply. */
  mustInclude?: boolean;
}

/** Passes items through filters and actions into the archive. A failure is a log line about that one item. */
export class ItemBackup {
  readonly #parts: ItemBackupParts;

  constructor(parts: ItemBackupParts) {
    this.#parts = parts;
  }

  /** Whether the filters let the item in; an exclusion is reported when a user may miss the item. */
  takes(item: Item, arrival: Arrival = {}): boolean {
    const { filters, record, context } = this.#parts;
    const decision = filters.decide(factsOf(item), arrival);
    if (decision.included) return true;
    const { deletionTimestamp, labels: own } = item.object.metadata;
    const isMissed = arrival.additional || deletionTimestamp || own?.[labels.excludeFromBackup] === 'true';
    if (isMissed) {
      context.log.info({ ...logFieldsOf(item), reason: decision.reason }, 'item is left out');
      record.noted(item, { outcome: 'Skipped', reason: decision.reason, by: filtersName });
    }
    return false;
  }

  /**
   * Backs up a page of a list, filtered here. Types that no action handles are written without waiting in between.
   * @returns how many bytes were stored
   */
  async backUpPage(items: readonly Item[], signal: AbortSignal): Promise<number> {
    return await this.backUpTaken(
      items.filter((item) => this.takes(item)),
      signal,
    );
  }

  /** The same for items that have passed the filters; all are of one type. */
  async backUpTaken(taken: readonly Item[], signal: AbortSignal): Promise<number> {
    const { record, limits, onItem } = this.#parts;
    record.expect(taken.length);
    let bytes = 0;
    const [first] = taken;
    if (first === undefined) return bytes;
    if (first.type.actions.length > 0 || this.#parts.takerOf(first.type) !== undefined) {
      await eachAtOnce(taken, limits.itemsMax, async (item) => {
        bytes += await this.backUp(item, signal);
      });
      return bytes;
    }
    for (const item of taken) {
      onItem(item);
      const text = storedText(item.object);
      bytes += text.length;
      const room = this.#parts.sink.put(item, text);
      if (room !== undefined) await room;
    }
    return bytes;
  }

  /**
   * Backs up one item that has passed the filters: its actions, then the archive. An action that fails leaves the item out.
   * @returns how many bytes were stored. @throws only what ends the whole backup
   */
  async backUp(item: Item, signal: AbortSignal): Promise<number> {
    const { context, effects, sink, record, onItem, takerOf } = this.#parts;
    onItem(item);
    try {
      const { object, skippedBy, trouble } = await runActions(item, context, effects, signal);
      if (object === undefined) {
        const by = skippedBy ?? '';
        context.log.info({ ...logFieldsOf(item), action: by }, 'item is left out because an action excludes it');
        record.noted(item, { outcome: 'Skipped', reason: 'the action excludes it', by });
        return 0;
      }
      const text = storedText(object);
      await sink.put(item, text);
      const isTold = (await takerOf(item.type)?.(item, trouble, signal)) ?? false;
      if (trouble !== undefined && !isTold) record.noted(item, { outcome: 'Warning', ...trouble });
      return text.length;
    } catch (error) {
      signal.throwIfAborted();
      if (!isAppError(error, 'ITEM_ACTION_FAILED')) throw error;
      context.log.error({ ...logFieldsOf(item), err: error }, 'Error backing up item');
      record.noted(item, {
        outcome: 'Failed',
        reason: describeError(error.cause ?? error),
        by: String(error.details.action),
      });
      return 0;
    }
  }
}
