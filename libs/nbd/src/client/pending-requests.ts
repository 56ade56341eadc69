import type { StatusExtent } from '@lateen/block-engine';
import type { AppError } from '@lateen/errors';
import type { ReadParts } from './read-parts.ts';

/** One request that has no answer yet. */
export interface PendingRequest {
  readonly command: number;
  readonly at: bigint;
  readonly lengthBytes: number;
  readonly sentAtMs: number;
  /** Of a block status: the id of the context that was asked for. */
  readonly contextId: number | undefined;
  /** What structured replies have brought so far. */
  parts: ReadParts | undefined;
  extents: readonly StatusExtent[] | undefined;
  error: number;
  succeed(data: readonly Uint8Array[], extents: readonly StatusExtent[]): void;
  fail(error: AppError): void;
}

/** Requests by cookie, oldest first: a Map keeps the order in which they were sent. */
export class PendingRequests {
  readonly #byCookie = new Map<number, PendingRequest>();
  #last = 0;

  get size(): number {
    return this.#byCookie.size;
  }

  /** Returns its cookie: no number is used twice on a connection. */
  add(request: PendingRequest): number {
    this.#last += 1;
    this.#byCookie.set(this.#last, request);
    return this.#last;
  }

  get(cookie: number): PendingRequest | undefined {
    return this.#byCookie.get(cookie);
  }

  remove(cookie: number): void {
    this.#byCookie.delete(cookie);
  }

  oldestSentAtMs(): number | undefined {
    for (const request of this.#byCookie.values()) return request.sentAtMs;
    return undefined;
  }

  failAll(error: AppError): void {
    const all = [...this.#byCookie.values()];
    this.#byCookie.clear();
    for (const request of all) request.fail(error);
  }
}
