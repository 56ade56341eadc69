import { systemClock } from '@lateen/kernel';
import type { ControllerBase } from '@lateen/kube-runtime';
import { type FakeClock, letWorkRun } from '@lateen/testing';

/** Knows whether the controllers of a process are working on keys. One for each process. */
export class AtWork {
  #taken = 0;
  #ended = 0;
  #isOver = false;

  readonly metrics: NonNullable<ControllerBase['metrics']> = {
    waited: () => {
      this.#taken += 1;
    },
    reconciled: () => {
      this.#ended += 1;
    },
  };

  get isBusy(): boolean {
    return !this.#isOver && this.#taken > this.#ended;
  }

  /** The process is dead: its work never ends. */
  end(): void {
    this.#isOver = true;
  }
}

/** Number of looks, one real millisecond apart, without a new call. After that the work waits for the clock, or hangs. */
const quietLooksMax = 500;

/**
 * Advances the clock from timer to timer. At each timer it waits for work on real threads (gzip), which turns of the event loop cannot wait
 * for.
 */
export class PatientTime {
  readonly #clock: FakeClock;
  readonly #isBusy: () => boolean;
  readonly #calls: () => number;
  /** Number of calls when the work was last found to wait for the clock: it is not waited for again until there are more. */
  #quietSince: number | undefined;

  constructor(clock: FakeClock, isBusy: () => boolean, calls: () => number) {
    this.#clock = clock;
    this.#isBusy = isBusy;
    this.#calls = calls;
  }

  async run(ms: number): Promise<void> {
    const endMs = this.#clock.monotonicMs() + ms;
    for (;;) {
      await this.#work();
      const stepMs = this.#clock.nextDueInMs;
      const leftMs = endMs - this.#clock.monotonicMs();
      if (stepMs === undefined || stepMs > leftMs) return await this.#clock.advance(leftMs);
      await this.#clock.advance(stepMs);
    }
  }

  async #work(): Promise<void> {
    await letWorkRun();
    for (let [look, before] = [0, this.#calls()]; this.#isBusy() && before !== this.#quietSince; look++) {
      if (look < 50) await letWorkRun();
      else await systemClock.sleep(1);
      if (this.#calls() !== before) [look, before] = [0, this.#calls()];
      else if (look >= quietLooksMax) this.#quietSince = before;
    }
  }
}
