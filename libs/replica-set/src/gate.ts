import { blockIoError } from '@lateen/block-engine';
import type { AppError } from '@lateen/errors';
import type { ReplicaSetLimits } from './limits.ts';

/** A request on its way in. */
export interface Entrant {
  readonly bytes: number;
  start(): void;
  end(error: AppError): void;
}

type GateLimits = Pick<ReplicaSetLimits, 'requestsMax' | 'bytesMax' | 'waitingMax'>;

/** Where requests come in: a bounded number at once, in order, none while it is closed. */
export class Gate {
  readonly #limits: GateLimits;
  readonly #changed: (requests: number, bytes: number) => void;
  #line: Entrant[] = [];
  #active = 0;
  /** What the set itself asks of replicas. */
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

  /** Closed, and nothing is under way. */
  get isDrained(): boolean {
    return this.#isClosed && this.#active + this.#own === 0;
  }

  /** Starts it, now or when there is room and the gate is open. It calls {@link leave} when it is over. */
  enter(entrant: Entrant): void {
    if (this.#refusal !== undefined) entrant.end(this.#refusal);
    else if (this.#line.length === 0 && this.#hasRoom(entrant)) this.#start(entrant);
    else if (this.#line.length < this.#limits.waitingMax) this.#wait(entrant);
    else entrant.end(blockIoError('ENOMEM', `more than ${this.#limits.waitingMax} requests wait for this volume`));
  }

  /** For what the set itself asks of a replica: no bound holds it up, and a pause waits for it. */
  enterOwn(): void {
    this.#own += 1;
  }

  leaveOwn(): void {
    this.#own -= 1;
    this.#wake();
  }

  /** Starts it although nothing may enter any more. */
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

  /** Resolves when nothing is under way; others may wait for the gate to open. */
  idle(): Promise<void> {
    return this.#when(() => this.#active + this.#own === 0);
  }

  /** Takes nothing any more; resolves when everything that has come before is over. */
  async lastOut(error: AppError): Promise<void> {
    this.#refusal ??= error;
    await this.#when(() => this.#active + this.#own + this.#line.length === 0);
  }

  /** Nothing comes in any more; those that wait fail. */
  end(error: AppError): void {
    this.#refusal = error;
    const line = this.#line;
    this.#line = [];
    // Those under way are ended by who knows them, and do not leave by themselves any more.
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
