import { isAppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';

export interface CallPaceLimits {
  /** Calls under way at once: between these two, as the API server bears it. */
  callsMin: number;
  callsMax: number;
  /** A call that takes longer means that the API server has too much to do, or has told us to wait. */
  slowCallMs: number;
  /** Absent: only slow calls and refusals take places away. */
  others?: OthersShare;
}

/** Leaves room for the other clients of the API server: their calls wait as long as ours. */
export interface OthersShare {
  /** How many times as long as at best a round of calls may take on average. */
  slowerAtMost: number;
  /** A round that is faster on average takes no place away, whatever the best was. */
  freeMs: number;
  /** Not fewer places than this for the sake of others. */
  callsMin: number;
}

/** `Places` of the kernel. */
interface PlacesToPace {
  readonly max: number;
  resize(max: number): void;
}

/** With how many places to begin: few enough that a server that bears little is not met with all at once, and that the best is seen. */
export const firstCalls = ({ callsMin, callsMax, others }: CallPaceLimits): number =>
  Math.max(callsMin, others === undefined ? Math.ceil(callsMax / 2) : Math.min(others.callsMin, callsMax));

/** What a round takes away that was slow on average: less than a refusal, since it may have been slow for another reason. */
const crowdedShare = 0.8;

/** After so many rounds the best is looked for again, with few calls at once: other kinds of objects take longer by themselves. */
const roundsOfABest = 64;

/**
 * Makes places as many as the API server bears. A call that is slow (the client repeats a 429 by itself, which takes its time) or is
 * turned away halves their number, at most once for each round of calls; a round without such a one adds one. With `others`, a round that
 * took much longer on average than the best one takes a fifth away: from where calls only wait for each other, more at once bring nothing.
 */
export class CallPace {
  readonly #places: PlacesToPace;
  readonly #limits: CallPaceLimits;
  readonly #clock: Clock;
  #begun = 0;
  #goodCalls = 0;
  /** Of the good calls of this round. */
  #roundMs = 0;
  /** Of a round with few calls at once. */
  #bestMs: number | undefined;
  #roundsLeft = 0;
  /** How many places there were when the best was to be looked for again. */
  #placesBefore = 0;
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
