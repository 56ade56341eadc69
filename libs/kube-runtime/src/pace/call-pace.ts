import { isAppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';

export interface CallPaceLimits {
  /** Concurrent calls: between these two numbers, as the API server's load allows. */
  callsMin: number;
  callsMax: number;
  /** A call that takes longer means that the API server is overloaded, or has told us to wait. */
  slowCallMs: number;
  /** Absent: only slow calls and refusals reduce the number of places. */
  others?: OthersShare;
}

/** Leaves capacity for other clients of the API server: their calls wait as long as ours. */
export interface OthersShare {
  /** How many times slower than the best round a round of calls may be on average. */
  slowerAtMost: number;
  /** A round with a faster average never reduces the number, whatever the best was. */
  freeMs: number;
  /** For the sake of other clients, the number is never reduced below this. */
  callsMin: number;
}

/** `Places` of the kernel. */
interface PlacesToPace {
  readonly max: number;
  resize(max: number): void;
}

/** The initial number of places: small enough that a weak server is not overloaded at once, and that the best time can be measured. */
export const firstCalls = ({ callsMin, callsMax, others }: CallPaceLimits): number =>
  Math.max(callsMin, others === undefined ? Math.ceil(callsMax / 2) : Math.min(others.callsMin, callsMax));

/** The factor after a slow round: it reduces less than a refusal does, because the round may have been slow for another reason. */
const crowdedShare = 0.8;

/** After this many rounds the best time is measured again, with few concurrent calls: other kinds of objects may be slower in general. */
const roundsOfABest = 64;

/**
 * Adapts the number of places to what the API server can handle. A call that is slow (the client repeats a 429 by itself, which takes time) or
 * refused halves the number, at most once for each round of calls; a round without such a call adds one. With `others`, a round that took much longer
 * on average than the best one reduces it by a fifth: once calls only wait for each other, more concurrency gains nothing.
 */
export class CallPace {
  readonly #places: PlacesToPace;
  readonly #limits: CallPaceLimits;
  readonly #clock: Clock;
  #begun = 0;
  #goodCalls = 0;
  /** Total duration of the successful calls of this round. */
  #roundMs = 0;
  /** Average of a round with few concurrent calls. */
  #bestMs: number | undefined;
  #roundsLeft = 0;
  /** The number of places before the best time was measured again. */
  #placesBefore = 0;
  /** Calls that began before this one say nothing about the present number. */
  #countsFrom = 0;

  constructor(places: PlacesToPace, limits: CallPaceLimits, clock: Clock) {
    this.#places = places;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Makes a call and adapts to its result. @throws the call's error */
  async learnFrom<T>(call: () => Promise<T>, isStrain: (error: unknown) => boolean = isTurnedAway): Promise<T> {
    const number = ++this.#begun;
    const startedMs = this.#clock.monotonicMs();
    try {
      const answer = await call();
      const tookMs = this.#clock.monotonicMs() - startedMs;
      this.#learn(number, tookMs >= this.#limits.slowCallMs, tookMs);
      return answer;
    } catch (error) {
      this.#learn(number, isStrain(error), this.#clock.monotonicMs() - startedMs);
      throw error;
    }
  }

  #learn(number: number, isStrained: boolean, tookMs: number): void {
    if (isStrained) {
      this.#strained(number);
      return;
    }
    if (number < this.#countsFrom) return;
    this.#roundMs += tookMs;
    if (++this.#goodCalls < this.#places.max) return;
    const meanMs = this.#roundMs / this.#goodCalls;
    this.#beginRound();
    this.#resize(this.#afterRound(meanMs));
  }

  #strained(number: number): void {
    const { max } = this.#places;
    this.#beginRound();
    if (number < this.#countsFrom) return;
    this.#countsFrom = this.#begun + 1;
    this.#placesBefore = 0;
    this.#resize(Math.floor(max / 2));
  }

  #beginRound(): void {
    this.#goodCalls = 0;
    this.#roundMs = 0;
  }

  #afterRound(meanMs: number): number {
    const { max } = this.#places;
    const { others } = this.#limits;
    if (others === undefined) return max + 1;
    const isDue = --this.#roundsLeft <= 0;
    if (this.#bestMs === undefined || (isDue && max <= others.callsMin)) {
      this.#bestMs = meanMs;
      this.#roundsLeft = roundsOfABest;
      const wanted = Math.max(this.#placesBefore, max + 1);
      this.#placesBefore = 0;
      return wanted;
    }
    if (isDue) {
      this.#bestMs = undefined;
      this.#placesBefore = max;
      this.#countsFrom = this.#begun + 1;
      return others.callsMin;
    }
    if (meanMs <= Math.max(others.freeMs, this.#bestMs * others.slowerAtMost)) return max + 1;
    return Math.min(max, Math.max(others.callsMin, Math.floor(max * crowdedShare)));
  }

  #resize(wanted: number): void {
    const { callsMin, callsMax } = this.#limits;
    const max = Math.max(callsMin, Math.min(callsMax, wanted));
    if (max !== this.#places.max) this.#places.resize(max);
  }
}

const isTurnedAway = (error: unknown): boolean => isAppError(error, 'KUBE_TOO_MANY_REQUESTS');
