import type { ReplicaSetLimits } from './limits.ts';

type PaceLimits = Pick<ReplicaSetLimits, 'bytesMax' | 'paceFirstBytes' | 'paceLeastBytes'>;

/**
 * Limits the bytes of writes in flight. They all wait for the slowest link: with all of `bytesMax` in a link of a few megabytes a second, the last
 * write would exceed any timeout, and reads would wait behind it. So the limit falls while answers are slow.
 */
export class Pace {
  readonly #limits: PaceLimits;
  #windowBytes: number;
  #sentBytes = 0;
  #line: { readonly bytes: number; readonly send: () => void }[] = [];

  constructor(limits: PaceLimits) {
    this.#limits = limits;
    this.#windowBytes = Math.min(limits.paceFirstBytes, limits.bytesMax);
  }

  get windowBytes(): number {
    return this.#windowBytes;
  }

  /**
   * Calls `send` now or when the limit allows it, in order; a single write is sent even when it is larger than the limit. The caller calls {@link
   * leave} afterwards.
   */
  enter(bytes: number, send: () => void): void {
    if (this.#line.length > 0 || !this.#hasRoom(bytes)) this.#line.push({ bytes, send });
    else this.#send(bytes, send);
  }

  leave(bytes: number): void {
    this.#sentBytes -= bytes;
    this.#admit();
  }

  /** Answers are slow: sets the limit to half of the bytes in flight. */
  slower(): void {
    const under = Math.min(this.#windowBytes, Math.max(this.#sentBytes, this.#limits.paceLeastBytes));
    this.#windowBytes = Math.max(Math.floor(under / 2), this.#limits.paceLeastBytes);
  }

  /** Answers are fast, and writes wait: doubles the limit. */
  faster(): void {
    if (this.#line.length === 0) return;
    this.#windowBytes = Math.min(this.#windowBytes * 2, this.#limits.bytesMax);
    this.#admit();
  }

  /** The set is over: waiting writes are ended by their owner. */
  end(): void {
    this.#line = [];
  }

  #hasRoom(bytes: number): boolean {
    return this.#sentBytes === 0 || this.#sentBytes + bytes <= this.#windowBytes;
  }

  #admit(): void {
    for (;;) {
      const next = this.#line[0];
      if (next === undefined || !this.#hasRoom(next.bytes)) return;
      this.#line.shift();
      this.#send(next.bytes, next.send);
    }
  }

  #send(bytes: number, send: () => void): void {
    this.#sentBytes += bytes;
    send();
  }
}
