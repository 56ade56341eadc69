import { systemClock } from '@lateen/kernel';
import type { ControllerBase } from '@lateen/kube-runtime';
import { type FakeClock, letWorkRun } from '@lateen/testing';

/** Knows whether controllers have keys in hand. One for each process. */
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

  /** The process is dead: what it had in hand never ends. */
  end(): void {
    this.#isOver = true;
  }
}

/** Looks, of a real millisecond each, without a call: then what is in hand waits for the clock, or hangs. */
const quietLooksMax = 500;

/**
 * Lets time pass from one timer to the next, and at each of them the work come to its end that needs real threads (gzip) and so
 * cannot be waited for by turns of the event loop.
 */
export class PatientTime {
  readonly #clock: FakeClock;
  readonly #isBusy: () => boolean;
  readonly #calls: () => number;
  /** The calls after which nothing more came: what is in hand since then is not waited for again. */
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
