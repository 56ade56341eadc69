import type { ControllerBase } from '@lateen/kube-runtime';
import { type FakeClock, letWorkRun } from '@lateen/testing';

/** Turns of the event loop without a call that work on other threads (gzip) is given; what waits for the clock, or hangs, is not waited for longer. */
const quietTurnsMax = 1_000;

/** Knows whether controllers have keys in hand. One for each process. */
export class AtWork {
  #taken = 0;
  #ended = 0;

  readonly metrics: NonNullable<ControllerBase['metrics']> = {
    waited: () => {
      this.#taken += 1;
    },
    reconciled: () => {
      this.#ended += 1;
    },
  };

  get isBusy(): boolean {
    return this.#taken > this.#ended;
  }
}

/** Lets time pass from one timer to the next, and at each of them the work that needs real threads come to its end. */
export async function letTimeAndWorkRun(
  clock: FakeClock,
  ms: number,
  { isBusy, calls }: { isBusy: () => boolean; calls: () => number },
): Promise<void> {
  const endMs = clock.monotonicMs() + ms;
  for (;;) {
    await letWorkRun();
    for (let [turn, before] = [0, calls()]; turn < quietTurnsMax && isBusy(); turn++) {
      await letWorkRun();
      if (calls() !== before) [turn, before] = [0, calls()];
    }
    const stepMs = clock.nextDueInMs;
    const leftMs = endMs - clock.monotonicMs();
    if (stepMs === undefined || stepMs > leftMs) {
      await clock.advance(leftMs);
      return;
    }
    await clock.advance(stepMs);
  }
}
