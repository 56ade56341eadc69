import type { RestoreItemOutcome } from '@lateen/backup-store';
import type { ItemIdentifier } from '@lateen/item-actions';
import { orAborted, type Places, settleAll } from '@lateen/kernel';
import type { CatalogItem } from './contract.ts';
import type { ItemOutcomes } from './item-outcomes.ts';
import type { AdditionalItems, RestoreItemOrigin } from './item-run.ts';

/** Paused items resume before additional items start, and these before the order: items that have started end first and free memory. */
const resumedRank = -2;
const additionalRank = -1;

/** How many items may wait without a place; further ones keep their place while they wait, so that memory stays bounded. */
const pausedMax = 1_000;

export interface ItemTurnsParts {
  places: Places<number>;
  outcomes: ItemOutcomes;
  /** @throws only the signal's reason */
  restoreOne(item: CatalogItem, origin: RestoreItemOrigin, signal: AbortSignal): Promise<RestoreItemOutcome>;
  /** Returns undefined, with a warning in the log, when the archive does not have it. */
  find(named: ItemIdentifier, by: { item: CatalogItem; action: string }): CatalogItem | undefined;
  /** Whether the item is restored even if no action names it. */
  isChosen(item: CatalogItem): boolean;
  /** Whether the filters let the item in. An item that they keep out may be named again by an action that must include it. */
  lets(item: CatalogItem, origin: RestoreItemOrigin): boolean;
  /** The serial order: an item that waits for something outside the restore keeps its place, so that no other item overtakes it. */
  isSerial: boolean;
}

interface Running {
  /** The key of the item's place. */
  key: string;
  /** Created when the first other item waits for this one. */
  end?: PromiseWithResolvers<void>;
}

/** Restores each object once, whether the order reaches it first or an action names it as an additional item. */
export class ItemTurns implements AdditionalItems {
  readonly #parts: ItemTurnsParts;
  readonly #running = new Map<CatalogItem, Running>();
  /** The items that an item waits for at the moment. */
  readonly #waits = new Map<CatalogItem, ReadonlySet<CatalogItem>>();
  #additionalCount = 0;
  #paused = 0;

  constructor(parts: ItemTurnsParts) {
    this.#parts = parts;
  }

  /** Call it when the order has reached the item and `key` holds a place. @throws the signal's reason */
  async run(item: CatalogItem, key: string, signal: AbortSignal): Promise<void> {
    if (this.#parts.outcomes.has(item)) return;
    const running = this.#running.get(item);
    if (running === undefined) return await this.#restore(item, { key }, {}, signal);
    // The item is being restored as an additional item already, and may need this place.
    this.#parts.places.release(key);
    await endOf(running, signal);
  }

  async restore(
    item: CatalogItem,
    named: readonly ItemIdentifier[],
    how: { mustInclude: boolean; by: string },
    signal: AbortSignal,
  ): Promise<readonly ItemIdentifier[]> {
    const { find, outcomes } = this.#parts;
    const origin: RestoreItemOrigin = { additionalTo: item, mustInclude: how.mustInclude };
    const found = named.flatMap((id) => {
      const other = find(id, { item, action: how.by });
      return other === undefined ? [] : [{ id, other }];
    });
    const { begun, others, waits, inCircle } = this.#lookAt(item, new Set(found.map(({ other }) => other)), origin);
    this.#waits.set(item, waits);
    try {
      const ends = others.map((running) => endOf(running, signal));
      for (const { other, running } of begun) ends.push(this.#restoreAdditional(other, running, origin, signal));
      const key = this.#running.get(item)?.key;
      if (key === undefined) await settleAll(ends);
      else if (ends.length > 0) await this.#aside(key, () => settleAll(ends), signal);
    } finally {
      this.#waits.delete(item);
    }
    return found.filter(({ other }) => inCircle.has(other) || outcomes.isThere(other)).map(({ id }) => id);
  }

  async whileWaiting<T>(item: CatalogItem, wait: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const key = this.#running.get(item)?.key;
    return key === undefined ? await wait() : await this.asideFor(key, signal)(wait);
  }

  /**
   * Returns a function that gives up the place under `key` while it waits for something outside the restore. `inSerialToo`: gives it up in
   * the serial order too, because the wait may depend on items that come later in the order.
   */
  asideFor(key: string, signal: AbortSignal, { inSerialToo = false } = {}): <T>(wait: () => Promise<T>) => Promise<T> {
    return async (wait) => {
      if ((this.#parts.isSerial && !inSerialToo) || this.#paused >= pausedMax) return await wait();
      return await this.#aside(key, wait, signal);
    };
  }

  /**
   * Sorts the items that another item names: those that have not started are recorded as running; those that wait for that item
   * themselves count as restored.
   */
  #lookAt(item: CatalogItem, named: ReadonlySet<CatalogItem>, origin: RestoreItemOrigin) {
    const waits = new Set<CatalogItem>();
    const inCircle = new Set<CatalogItem>();
    const begun: { other: CatalogItem; running: Running }[] = [];
    const others: Running[] = [];
    for (const other of named) {
      if (this.#parts.outcomes.has(other)) continue;
      const running = this.#running.get(other);
      if (running === undefined) {
        if (!this.#isIn(other, origin)) continue;
        const begins: Running = { key: `additional ${this.#additionalCount++}` };
        this.#running.set(other, begins);
        begun.push({ other, running: begins });
        waits.add(other);
      } else if (this.#isWaitingFor(other, item)) inCircle.add(other);
      else {
        others.push(running);
        waits.add(other);
      }
    }
    return { begun, others, waits, inCircle };
  }

  #isIn(item: CatalogItem, origin: RestoreItemOrigin): boolean {
    const { isChosen, lets, outcomes } = this.#parts;
    if (isChosen(item)) return true;
    if (!lets(item, origin)) return false;
    outcomes.expect(1);
    return true;
  }

  async #restoreAdditional(
    item: CatalogItem,
    running: Running,
    origin: RestoreItemOrigin,
    signal: AbortSignal,
  ): Promise<void> {
    const { places } = this.#parts;
    try {
      await places.take(running.key, additionalRank, signal);
      await this.#restore(item, running, origin, signal);
    } finally {
      this.#end(item, running);
      places.release(running.key);
    }
  }

  async #restore(item: CatalogItem, running: Running, origin: RestoreItemOrigin, signal: AbortSignal): Promise<void> {
    const { outcomes, restoreOne } = this.#parts;
    this.#running.set(item, running);
    try {
      outcomes.ended(item, await restoreOne(item, origin, signal));
    } finally {
      this.#end(item, running);
    }
  }

  #end(item: CatalogItem, running: Running): void {
    if (this.#running.get(item) === running) this.#running.delete(item);
    running.end?.resolve();
  }

  /** Whether `one` waits for `other`, directly or through the items that it waits for. */
  #isWaitingFor(one: CatalogItem, other: CatalogItem): boolean {
    const seen = new Set<CatalogItem>();
    const ahead = [one];
    for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
      if (at === other) return true;
      if (seen.has(at)) continue;
      seen.add(at);
      ahead.push(...(this.#waits.get(at) ?? []));
    }
    return false;
  }

  /** Gives the place to other items while `wait` runs, and takes it again afterwards. */
  async #aside<T>(key: string, wait: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { places } = this.#parts;
    this.#paused++;
    places.release(key);
    try {
      return await wait();
    } finally {
      this.#paused--;
      await places.take(key, resumedRank, signal);
    }
  }
}

function endOf(running: Running, signal: AbortSignal): Promise<void> {
  running.end ??= Promise.withResolvers<void>();
  return orAborted(running.end.promise, signal);
}
