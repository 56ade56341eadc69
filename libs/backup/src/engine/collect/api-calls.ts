import { isAppError } from '@lateen/errors';
import { type Clock, orAborted, Places } from '@lateen/kernel';
import { kubeError } from '@lateen/kube';
import type { EngineLimits } from '../engine-limits.ts';

type CallLimits = Pick<EngineLimits, 'callsMin' | 'callsMax' | 'slowCallMs' | 'callTimeoutMs'>;

/**
 * The calls of one backup to the API server: as many at once as it bears. One that is slow (it repeats a 429 by itself, which takes
 * its time) or is turned away halves their number, at most once for each round of calls; a round without such a one adds one.
 */
export class ApiCalls {
  readonly #places: Places;
  readonly #limits: CallLimits;
  readonly #clock: Clock;
  #begun = 0;
  #goodCalls = 0;
  /** Calls that began before this one say nothing about the present number. */
  #countsFrom = 0;

  constructor(limits: CallLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#places = new Places(Math.max(limits.callsMin, Math.ceil(limits.callsMax / 2)));
  }

  /** How many may be under way now. */
  get atOnceMax(): number {
    return this.#places.max;
  }

  /**
   * Makes a call when there is a place for it.
   * @throws what it throws; KUBE_UNAVAILABLE when it takes longer than the limit; the signal's reason
   */
  async run<T>(call: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const key = String(this.#begun++);
    const number = this.#begun;
    await this.#place(key, signal);
    const late = this.#clock.deadline(this.#limits.callTimeoutMs);
    const either = AbortSignal.any([signal, late]);
    const startedMs = this.#clock.monotonicMs();
    try {
      const answer = await orAborted(call(either), either);
      this.#learn(number, this.#clock.monotonicMs() - startedMs >= this.#limits.slowCallMs);
      return answer;
    } catch (error) {
      this.#learn(number, isAppError(error, 'KUBE_TOO_MANY_REQUESTS') || late.aborted);
      throw late.aborted && !signal.aborted ? tookTooLong(this.#limits.callTimeoutMs, error) : error;
    } finally {
      this.#places.release(key);
    }
  }

  async #place(key: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const turn = Promise.withResolvers<void>();
    if (this.#places.tryTake(key, undefined, turn.resolve)) return;
    try {
      await orAborted(turn.promise, signal);
    } catch (error) {
      this.#places.release(key);
      throw error;
    }
  }

  #learn(number: number, isStrained: boolean): void {
    const { max } = this.#places;
    if (!isStrained) {
      if (++this.#goodCalls < max) return;
      this.#goodCalls = 0;
      if (max < this.#limits.callsMax) this.#places.resize(max + 1);
      return;
    }
    this.#goodCalls = 0;
    if (number < this.#countsFrom) return;
    this.#countsFrom = this.#begun + 1;
    this.#places.resize(Math.max(this.#limits.callsMin, Math.floor(max / 2)));
  }
}

function tookTooLong(timeoutMs: number, cause: unknown) {
  const text = `the API server did not answer within ${Math.round(timeoutMs / 1000)} s`;
  return kubeError('KUBE_UNAVAILABLE', text, { reason: 'TIMEOUT', cause });
}
