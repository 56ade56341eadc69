import type { Clock } from '@lateen/kernel';

/** How soon a jump is noticed, and from where on it is one. */
const lookEveryMs = 10_000;
const jumpMs = 1_000;

/**
 * Tells when the date has jumped: a timer that was set before would go off at another date than was meant (a host that slept, a clock
 * that was set). Runs until `signal` aborts; then resolves.
 */
export async function watchClock(clock: Clock, onJump: () => void, signal: AbortSignal): Promise<void> {
  const difference = (): number => clock.now() - clock.monotonicMs();
  let before = difference();
  while (!signal.aborted) {
    await clock.sleep(lookEveryMs, signal).catch(() => {});
    if (Math.abs(difference() - before) < jumpMs) continue;
    before = difference();
    if (!signal.aborted) onJump();
  }
}
