import type { Pod } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { overdueAtMs, overduePod } from './pod-lost.ts';
import type { PodLost } from './verdict.ts';

export interface OverdueWatchOptions {
  clock: Clock;
  terminatingMs: number;
  /** Ends it. */
  signal: AbortSignal;
  /** The pod as it is when its time has come; undefined when it is over. */
  lastPod(): Pod | undefined;
  onLost(lost: PodLost): void;
}

/** Finds a pod lost that should have ended and does not, because its node does not answer. One timer, whatever it is shown. */
export class OverdueWatch {
  readonly #options: OverdueWatchOptions;
  #isSet = false;

  constructor(options: OverdueWatchOptions) {
    this.#options = options;
  }

  look(pod: Pod): void {
    const { clock, terminatingMs, signal } = this.#options;
    const nowMs = clock.now();
    const atMs = overdueAtMs(pod, { nowMs, terminatingMs });
    if (atMs === undefined || this.#isSet) return;
    this.#isSet = true;
    clock.sleep(Math.max(atMs - nowMs, 0), signal).then(
      () => this.#lookAgain(nowMs),
      () => {},
    );
  }

  #lookAgain(nowMs: number): void {
    this.#isSet = false;
    const last = this.#options.lastPod();
    if (last === undefined || overdueAtMs(last, { nowMs, terminatingMs: 0 }) === undefined) return;
    this.#options.onLost(overduePod(last));
  }
}
