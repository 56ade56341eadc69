import { systemClock } from '@lateen/kernel';
import type { FakeClock } from '../clock/fake-clock.ts';

/** Real time between two checks of work that waits for the network. */
const ioPauseMs = 2;

/**
 * Awaits work that does real I/O and sleeps on a fake clock: whenever a timer is set, time advances to it. Not for work
 * with a guard timer beside it (a watch): that would fire at once.
 */
export async function settleWithClock<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let settled = false;
  const done = work.finally(() => {
    settled = true;
  });
  done.catch(() => {});
  while (!settled) {
    const dueMs = clock.nextDueInMs;
    if (dueMs === undefined) await systemClock.sleep(ioPauseMs);
    else await clock.advance(dueMs);
  }
  return done;
}
