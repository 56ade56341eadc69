import { isAppError } from '@lateen/errors';
import { type Clock, Places } from '@lateen/kernel';
import { afterRound, afterStrain, firstPace, type Pace, type PaceLimits } from './read-pace.ts';
import type { ReadRequest } from './read-request.ts';
import { RecentMedian } from './recent-median.ts';
import { Stopwatch } from './stopwatch.ts';

/** Each request counts as this many additional bytes, so that many small requests count too. */
const requestWorthBytes = 64 * 1024;
/** Shorter rounds say more about luck than about the store. */
const roundMsMin = 200;
const fullShare = 0.6;
/** An answer is slow if it takes this many times as long as others, and at least this long. */
const slow = { times: 10, msMin: 2_000 };
/** Bytes that are fetched for nothing are bounded, whatever a request costs. */
const gapBytes = { min: 16 * 1024, max: 1024 * 1024, first: 128 * 1024 };

/** As many requests at once as bring something, found by trying; and what the store takes for one. */
export class RequestsInFlight {
  readonly #clock: Clock;
  readonly #limits: PaceLimits;
  readonly #places: Places;
  readonly #latencies = new RecentMedian(255);
  /** Bytes for a millisecond, once they have begun to come. */
  readonly #rates = new RecentMedian(63);
  #pace: Pace;
  #keys = 0;
  #round: { startMs: number; bytes: number; ended: number; full: Stopwatch };

  constructor(clock: Clock, limits: PaceLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#pace = firstPace(limits);
    this.#places = new Places(this.#pace.inFlight);
    this.#round = this.#newRound();
  }

  get inFlight(): number {
    return this.#pace.inFlight;
  }

  get latencyMs(): number {
    return this.#latencies.value ?? 0;
  }

  /** What comes in the time of one request more: bytes that are not worth asking around. */
  get gapBytes(): number {
    const perMs = this.#rates.value;
    if (perMs === undefined) return gapBytes.first;
    return Math.round(Math.min(gapBytes.max, Math.max(gapBytes.min, perMs * this.latencyMs)));
  }

  /** Waits until one more may be made; call what it resolves to when it has ended. @throws the signal's reason */
  async begin(signal: AbortSignal): Promise<() => void> {
    const key = String(this.#keys++);
    await this.#places.take(key, undefined, signal);
    this.#seeFull();
    return () => {
      this.#places.release(key);
      this.#seeFull();
    };
  }

  received(bytes: number): void {
    this.#round.bytes += bytes;
  }

  ended(request: ReadRequest): void {
    const { latencyMs, durationMs, bytesPerMs, error } = request;
    const usual = this.#latencies.value;
    const isSlow =
      latencyMs !== undefined && usual !== undefined && latencyMs > Math.max(slow.msMin, usual * slow.times);
    if (latencyMs !== undefined) this.#latencies.add(latencyMs);
    if (bytesPerMs !== undefined) this.#rates.add(bytesPerMs);
    const { startMs } = this.#round;
    // What began before the present number says nothing about it.
    if (this.#clock.monotonicMs() - durationMs < startMs) return;
    if (isSlow || (isAppError(error) && error.retry === 'soon')) this.#set(afterStrain(this.#pace, this.#limits));
    else if (error === undefined) this.#countEnded();
  }

  #countEnded(): void {
    const { startMs, bytes, full } = this.#round;
    const ended = ++this.#round.ended;
    const tookMs = this.#clock.monotonicMs() - startMs;
    if (ended < this.#pace.inFlight || tookMs < roundMsMin) return;
    const rate = (bytes + ended * requestWorthBytes) / tookMs;
    this.#set(afterRound(this.#pace, { rate, isFull: full.totalMs >= fullShare * tookMs }, this.#limits));
  }

  #set(pace: Pace): void {
    this.#pace = pace;
    this.#places.resize(pace.inFlight);
    this.#round = this.#newRound();
    this.#seeFull();
  }

  #newRound() {
    return { startMs: this.#clock.monotonicMs(), bytes: 0, ended: 0, full: new Stopwatch(this.#clock) };
  }

  #seeFull(): void {
    this.#round.full.set(this.#places.taken >= this.#places.max);
  }
}
