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

/** Which objects of a type to list. */
export interface ListRange {
  /** Absent: all namespaces. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

/** One page of a list. */
export interface ObjectPage {
  readonly items: readonly Unstructured[];
  /** How many objects follow this page, as far as the server says. */
  readonly remaining: number;
}

/** After how many expiries without progress a list is given up. */
const expiriesMax = 3;
/** The divisor of the page size when a page cannot be read. */
const shrink = 5;

/**
 * Reads one list page by page: complete, each object once, with at most two pages in memory (the next page is requested while the caller
 * works on the current one). A list that expires continues after its last object. Pages become smaller when objects are large or when a
 * page cannot be read, down to one object.
 */
export class ObjectList {
  readonly #type: ResourceType<Unstructured>;
  readonly #range: ListRange;
  readonly #ports: ListPorts;
  #limit: number;
  /** The largest page size whose bytes stay within the limit. */
  #limitMax: number;
  #continue: string | undefined;
  #last: string | undefined;
  /** After a restart of the list: the last object that was returned already. Lists are sorted by key. */
  #skipTo: string | undefined;
  #expiries = 0;

  /** @param after the list returns only objects after this one; in the form of {@link last} */
  constructor(type: ResourceType, range: ListRange, ports: ListPorts, after?: string) {
    this.#skipTo = after;
    this.#last = after;
    this.#type = type as ResourceType<Unstructured>;
    this.#range = range;
    this.#ports = ports;
    this.#limit = ports.limits.pageItems;
    this.#limitMax = ports.limits.pageItems;
  }

  /** `namespace/name` or `name` of the last object that was returned. */
  get last(): string | undefined {
    return this.#last;
  }

  /** Records how many bytes of JSON the objects of a page took. */
  noteSize(items: number, bytes: number): void {
    if (items === 0) return;
    const fits = Math.floor(this.#ports.limits.pageBytes / Math.max(bytes / items, 1));
    this.#limitMax = Math.min(Math.max(fits, 1), this.#ports.limits.pageItems);
  }

  /** @throws the reason why the next page cannot be read */
  async *pages(signal: AbortSignal): AsyncGenerator<ObjectPage, void, void> {
    let ahead = this.#page(signal);
    for (;;) {
      const { isLast, ...page } = await ahead;
      if (!isLast) {
        ahead = this.#page(signal);
        // The request may fail before the caller awaits it; this prevents an unhandled rejection.
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
    // When the server does not say how to continue after the last key, the list restarts from the beginning.
    this.#continue = continueAfterExpiry(error);
    if (this.#continue === undefined) this.#skipTo = this.#last;
  }

  #askForLess(error: unknown): void {
    if (this.#limit === 1) throw error;
    this.#limit = Math.max(1, Math.floor(this.#limit / shrink));
  }
}
