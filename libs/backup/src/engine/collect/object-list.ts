import type { Unstructured } from '@lateen/api-types';
import type { Clock, Random } from '@lateen/kernel';
import { continueAfterExpiry, isGone, type KubeApi, keyOf, keyText, type ResourceType } from '@lateen/kube';
import type { EngineLimits } from '../engine-limits.ts';
import type { ApiCalls } from './api-calls.ts';
import { PageTries } from './page-failure.ts';

export interface ListPorts {
  kube: KubeApi;
  calls: ApiCalls;
  clock: Clock;
  random: Random;
  limits: Pick<EngineLimits, 'pageItems' | 'pageBytes' | 'answerBytesMax'>;
}

/** Which objects of a type. */
export interface ListRange {
  /** All when absent. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

/** Some objects of a list. */
export interface ObjectPage {
  readonly items: readonly Unstructured[];
  /** How many come after it, as far as the server says. */
  readonly remaining: number;
}

/** A list that expires without having come further is given up after so many times. */
const expiriesMax = 3;
/** A page that cannot be had is asked for with this part of its objects. */
const shrink = 5;

/**
 * One list, page by page: exact, each object once, at most two pages in memory (the next is asked for while the caller works on the
 * one before). A list that expires goes on after its last object; pages become smaller when objects are large, or when a page cannot
 * be had, down to one object.
 */
export class ObjectList {
  readonly #type: ResourceType<Unstructured>;
  readonly #range: ListRange;
  readonly #ports: ListPorts;
  #limit: number;
  /** More would be too many bytes. */
  #limitMax: number;
  #continue: string | undefined;
  #last: string | undefined;
  /** After a new start: what has been given already. Lists come in the order of their keys. */
  #skipTo: string | undefined;
  #expiries = 0;

  /** @param after gives no object up to this one, of the form of {@link last} */
  constructor(type: ResourceType, range: ListRange, ports: ListPorts, after?: string) {
    this.#skipTo = after;
    this.#last = after;
    this.#type = type as ResourceType<Unstructured>;
    this.#range = range;
    this.#ports = ports;
    this.#limit = ports.limits.pageItems;
    this.#limitMax = ports.limits.pageItems;
  }

  /** `namespace/name` or `name` of the last object that came. */
  get last(): string | undefined {
    return this.#last;
  }

  /** What the objects of a page took as JSON. */
  noteSize(items: number, bytes: number): void {
    if (items === 0) return;
    const fits = Math.floor(this.#ports.limits.pageBytes / Math.max(bytes / items, 1));
    this.#limitMax = Math.min(Math.max(fits, 1), this.#ports.limits.pageItems);
  }

  /** @throws why the page after the last one given cannot be had */
  async *pages(signal: AbortSignal): AsyncGenerator<ObjectPage, void, void> {
    let ahead = this.#page(signal);
    for (;;) {
      const { isLast, ...page } = await ahead;
      if (!isLast) {
        ahead = this.#page(signal);
        // It may fail while nobody waits for it yet.
        ahead.catch(() => {});
      }
      if (page.items.length > 0) yield page;
      if (isLast) return;
    }
  }

  async #page(signal: AbortSignal): Promise<ObjectPage & { isLast: boolean }> {
    const tries = new PageTries(this.#ports, signal);
    for (;;) {
      try {
        const page = await this.#ask(signal);
        this.#limit = Math.min(this.#limit * 2, this.#limitMax);
        const items = this.#unseen(page.items);
        this.#continue = page.continue;
        return { items, remaining: page.remaining ?? 0, isLast: page.continue === undefined };
      } catch (error) {
        signal.throwIfAborted();
        if (isGone(error)) this.#goOnAfterExpiry(error);
        else if ((await tries.after(error)) === 'less') this.#askForLess(error);
      }
    }
  }

  #ask(signal: AbortSignal) {
    const { kube, calls, limits } = this.#ports;
    const next = this.#continue === undefined ? {} : { continue: this.#continue };
    const limit = this.#limit;
    const bytes = limit === 1 ? {} : { bytesMax: limits.answerBytesMax };
    const options = { ...this.#range, ...next, ...bytes, limit, numbers: 'exact' as const };
    return calls.run((either) => kube.list(this.#type, { ...options, signal: either }), signal);
  }

  #unseen(items: readonly Unstructured[]): readonly Unstructured[] {
    const skipTo = this.#skipTo;
    const fresh = skipTo === undefined ? items : items.filter((item) => keyText(keyOf(item)) > skipTo);
    const last = fresh.at(-1);
    if (last !== undefined) {
      this.#last = keyText(keyOf(last));
      this.#skipTo = undefined;
      this.#expiries = 0;
    }
    return fresh;
  }

  #goOnAfterExpiry(error: unknown): void {
    if (++this.#expiries > expiriesMax) throw error;
    // A server that does not say how to go on after the last key is asked from the start.
    this.#continue = continueAfterExpiry(error);
    if (this.#continue === undefined) this.#skipTo = this.#last;
  }

  #askForLess(error: unknown): void {
    if (this.#limit === 1) throw error;
    this.#limit = Math.max(1, Math.floor(this.#limit / shrink));
  }
}
