import { isAppError } from '@lateen/errors';
import { type Clock, durationText, orAborted, Places } from '@lateen/kernel';
import { kubeError } from '@lateen/kube';
import { CallPace, firstCalls } from '@lateen/kube-runtime';
import type { EngineLimits } from '../engine-limits.ts';

type CallLimits = Pick<EngineLimits, 'callsMin' | 'callsMax' | 'slowCallMs' | 'callTimeoutMs'>;

/** The API calls of one backup: as many at the same time as the API server handles well (see CallPace). */
export class ApiCalls {
  readonly #places: Places;
  readonly #pace: CallPace;
  readonly #limits: CallLimits;
  readonly #clock: Clock;
  #asked = 0;

  constructor(limits: CallLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#places = new Places(firstCalls(limits));
    this.#pace = new CallPace(this.#places, limits, clock);
  }

  /** How many calls may run now. */
  get atOnceMax(): number {
    return this.#places.max;
  }

  /**
   * Runs a call when a slot is free.
   * @throws what the call throws; KUBE_UNAVAILABLE when it takes longer than the limit; the signal's reason
   */
  async run<T>(call: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const key = String(this.#asked++);
    await this.#places.take(key, undefined, signal);
    const late = this.#clock.deadline(this.#limits.callTimeoutMs);
    const either = AbortSignal.any([signal, late]);
    const isStrain = (error: unknown) => isAppError(error, 'KUBE_TOO_MANY_REQUESTS') || late.aborted;
    try {
      return await this.#pace.learnFrom(() => orAborted(call(either), either), isStrain);
    } catch (error) {
      throw late.aborted && !signal.aborted ? tookTooLong(this.#limits.callTimeoutMs, error) : error;
    } finally {
      this.#places.release(key);
    }
  }
}

function tookTooLong(timeoutMs: number, cause: unknown) {
  const text = `the API server did not answer within ${durationText(timeoutMs)}`;
  return kubeError('KUBE_UNAVAILABLE', text, { reason: 'TIMEOUT', cause });
}
