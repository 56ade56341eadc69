import type { RestoreItemOutcome } from '@lateen/backup-store';
import type { ItemIdentifier } from '@lateen/item-actions';
import { orAborted, type Places, settleAll } from '@lateen/kernel';
import type { CatalogItem } from './contract.ts';
import type { ItemOutcomes } from './item-outcomes.ts';
import type { AdditionalItems, RestoreItemOrigin } from './item-run.ts';

/** Who waits already goes before additional items, and these before the order: what is begun is ended first, and leaves memory. */
const resumedRank = -2;
const additionalRank = -1;

/** So many may wait without a place; more keep theirs, so that memory stays bounded. */
const pausedMax = 1_000;

export interface ItemTurnsParts {
  places: Places<number>;
  outcomes: ItemOutcomes;
  /** @throws only the reason of an abort */
  restoreOne(item: CatalogItem, origin: RestoreItemOrigin, signal: AbortSignal): Promise<RestoreItemOutcome>;
  /** Undefined, with a warning, when the archive does not have it. */
  find(named: ItemIdentifier, by: { item: CatalogItem; action: string }): CatalogItem | undefined;
  /** Whether it is restored also if nothing names it. */
  isChosen(item: CatalogItem): boolean;
  /** Whether the filters let it in. One that they do not may be named again as one that must be included. */
  lets(item: CatalogItem, origin: RestoreItemOrigin): boolean;
  /** The serial order: who waits for something outside the restore keeps its place, so that nothing overtakes it. */
  isSerial: boolean;
}

interface Running {
  /** Of its place. */
  key: string;
  /** Made when somebody waits for it. */
  end?: PromiseWithResolvers<void>;
}

/** Restores each object once, whoever asks for it first: the order, or an action that names it beside its item. */
export class ItemTurns implements AdditionalItems {
  readonly #parts: ItemTurnsParts;
  readonly #running = new Map<CatalogItem, Running>();
  /** For whom an item waits at the moment. */
  readonly #waits = new Map<CatalogItem, ReadonlySet<CatalogItem>>();
  #additionalCount = 0;
  #paused = 0;

  constructor(parts: ItemTurnsParts) {
    this.#parts = parts;
  }

  /** It is the item's turn in the order, with a place under `key`. @throws the signal's reason */
  async run(item: CatalogItem, key: string, signal: AbortSignal): Promise<void> {
    if (this.#parts.outcomes.has(item)) return;
    const running = this.#running.get(item);
    if (running === undefined) return await this.#restore(item, { key }, {}, signal);
    // It is restored as an additional item already; that may need this place.
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
   * For whoever holds a place under a key and waits for something outside the restore. `inSerialToo`: what is waited for may need what comes
   * later in the order.
   */
  asideFor(key: string, signal: AbortSignal, { inSerialToo = false } = {}): <T>(wait: () => Promise<T>) => Promise<T> {
    return async (wait) => {
      if ((this.#parts.isSerial && !inSerialToo) || this.#paused >= pausedMax) return await wait();
      return await this.#aside(key, wait, signal);
    };
  }

  /**
   * What is to be done about the items that another names: those that have not begun are put down as running; those that wait for that
   * item themselves count as restored.
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

  /** Whether one waits for the other, directly or by those it waits for. */
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

  /** The place is given to others meanwhile. */
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
