import type { ReplicaSetLimits } from './limits.ts';

type PaceLimits = Pick<ReplicaSetLimits, 'bytesMax' | 'paceFirstBytes' | 'paceLeastBytes'>;

/**
 * How many bytes of writes are sent at once. What is sent waits on the slowest link: with all of `bytesMax` in a link of a few megabytes a
 * second the last write would be older than any timeout, and reads would wait behind it. So fewer are sent while answers take long.
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

  /** Calls `send` now or when there is room, in order; one write goes even when it is larger than all room. Then {@link leave} is called. */
  enter(bytes: number, send: () => void): void {
    if (this.#line.length > 0 || !this.#hasRoom(bytes)) this.#line.push({ bytes, send });
    else this.#send(bytes, send);
  }

  leave(bytes: number): void {
    this.#sentBytes -= bytes;
    this.#admit();
  }

  /** Answers take long: half of what is under way. */
  slower(): void {
    const under = Math.min(this.#windowBytes, Math.max(this.#sentBytes, this.#limits.paceLeastBytes));
    this.#windowBytes = Math.max(Math.floor(under / 2), this.#limits.paceLeastBytes);
  }

  /** Answers come soon, and writes wait: twice as much. */
  faster(): void {
    if (this.#line.length === 0) return;
    this.#windowBytes = Math.min(this.#windowBytes * 2, this.#limits.bytesMax);
    this.#admit();
  }

  /** The set is over: what waits is ended by who knows it. */
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
