import { blockIoError } from '@lateen/block-engine';
import type { AppError } from '@lateen/errors';
import type { ReplicaSetLimits } from './limits.ts';

/** A request that waits to be started. */
export interface Entrant {
  readonly bytes: number;
  start(): void;
  end(error: AppError): void;
}

type GateLimits = Pick<ReplicaSetLimits, 'requestsMax' | 'bytesMax' | 'waitingMax'>;

/** Admits requests: a bounded number at once, in order, none while it is closed. */
export class Gate {
  readonly #limits: GateLimits;
  readonly #changed: (requests: number, bytes: number) => void;
  #line: Entrant[] = [];
  #active = 0;
  /** Pending requests that the set itself has sent to replicas. */
  #own = 0;
  #bytes = 0;
  #isClosed = false;
  #refusal: AppError | undefined;
  #waiters: { isMet: () => boolean; wake: () => void }[] = [];

  constructor(limits: GateLimits, changed: (requests: number, bytes: number) => void) {
    this.#limits = limits;
    this.#changed = changed;
  }

  get pending(): { requests: number; bytes: number } {
    return { requests: this.#active + this.#line.length, bytes: this.#bytes };
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** True when the gate is closed and nothing is pending. */
  get isDrained(): boolean {
    return this.#isClosed && this.#active + this.#own === 0;
  }

  /** Starts the request, now or when the limits allow it and the gate is open. The request calls {@link leave} when it has ended. */
  enter(entrant: Entrant): void {
    if (this.#refusal !== undefined) entrant.end(this.#refusal);
    else if (this.#line.length === 0 && this.#hasRoom(entrant)) this.#start(entrant);
    else if (this.#line.length < this.#limits.waitingMax) this.#wait(entrant);
    else entrant.end(blockIoError('ENOMEM', `more than ${this.#limits.waitingMax} requests wait for this volume`));
  }

  /** For requests of the set itself: no limit delays them, and a pause waits for them. */
  enterOwn(): void {
    this.#own += 1;
  }

  leaveOwn(): void {
    this.#own -= 1;
    this.#wake();
  }

  /** Starts the request although the gate is closed. */
  force(entrant: Entrant): void {
    this.#start(entrant);
  }

  leave(bytes: number): void {
    this.#active -= 1;
    this.#bytes -= bytes;
    this.#admit();
    this.#tell();
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
  }

  open(): void {
    this.#isClosed = false;
    this.#admit();
  }

  /** Resolves when nothing is pending; requests may still wait for the gate to open. */
  idle(): Promise<void> {
    return this.#when(() => this.#active + this.#own === 0);
  }

  /** Accepts no more requests; resolves when all earlier ones have ended. */
  async lastOut(error: AppError): Promise<void> {
    this.#refusal ??= error;
    await this.#when(() => this.#active + this.#own + this.#line.length === 0);
  }

  /** Accepts no more requests; waiting requests fail. */
  end(error: AppError): void {
    this.#refusal = error;
    const line = this.#line;
    this.#line = [];
    // Pending requests are ended by their owner and do not call `leave` any more.
    this.#active = 0;
    this.#bytes = 0;
    for (const entrant of line) entrant.end(error);
    this.#tell();
  }

  #when(isMet: () => boolean): Promise<void> {
    if (isMet()) return Promise.resolve();
    return new Promise((wake) => this.#waiters.push({ isMet, wake }));
  }

  #wake(): void {
    if (this.#waiters.length === 0) return;
    const met = this.#waiters.filter(({ isMet }) => isMet());
    this.#waiters = this.#waiters.filter((waiter) => !met.includes(waiter));
    for (const { wake } of met) wake();
  }

  #hasRoom({ bytes }: Entrant): boolean {
    if (this.#isClosed || this.#active >= this.#limits.requestsMax) return false;
    return this.#active === 0 || this.#bytes + bytes <= this.#limits.bytesMax;
  }

  #admit(): void {
    for (;;) {
      const next = this.#line[0];
      if (next === undefined || !this.#hasRoom(next)) return;
      this.#line.shift();
      this.#start(next);
    }
  }

  #wait(entrant: Entrant): void {
    this.#line.push(entrant);
    this.#tell();
  }

  #start(entrant: Entrant): void {
    this.#active += 1;
    this.#bytes += entrant.bytes;
    this.#tell();
    entrant.start();
  }

  #tell(): void {
    this.#changed(this.#active + this.#line.length, this.#bytes);
  }
}
