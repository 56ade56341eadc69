import { isAppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';

export interface CallPaceLimits {
  /** Calls under way at once: between these two, as the API server bears it. */
  callsMin: number;
  callsMax: number;
  /** A call that takes longer means that the API server has too much to do, or has told us to wait. */
  slowCallMs: number;
}

/** `Places` of the kernel. */
interface PlacesToPace {
  readonly max: number;
  resize(max: number): void;
}

/** With how many places to begin, so that a server that bears little is not met with all at once. */
export const firstCalls = ({ callsMin, callsMax }: CallPaceLimits): number =>
  Math.max(callsMin, Math.ceil(callsMax / 2));

/**
 * Makes places as many as the API server bears. A call that is slow (the client repeats a 429 by itself, which takes its time) or is
 * turned away halves their number, at most once for each round of calls; a round without such a one adds one.
 */
export class CallPace {
  readonly #places: PlacesToPace;
  readonly #limits: CallPaceLimits;
  readonly #clock: Clock;
  #begun = 0;
  #goodCalls = 0;
  /** Calls that began before this one say nothing about the present number. */
  #countsFrom = 0;

  constructor(places: PlacesToPace, limits: CallPaceLimits, clock: Clock) {
    this.#places = places;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Makes a call and learns from it. @throws what it throws */
  async learnFrom<T>(call: () => Promise<T>, isStrain: (error: unknown) => boolean = isTurnedAway): Promise<T> {
    const number = ++this.#begun;
    const startedMs = this.#clock.monotonicMs();
    try {
      const answer = await call();
      this.#learn(number, this.#clock.monotonicMs() - startedMs >= this.#limits.slowCallMs);
      return answer;
    } catch (error) {
      this.#learn(number, isStrain(error));
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

const isTurnedAway = (error: unknown): boolean => isAppError(error, 'KUBE_TOO_MANY_REQUESTS');
