import type { Clock, Logger } from '@lateen/kernel';
import type { EventRecorder } from '@lateen/kube-runtime';

/** What the end of the mover may wait for. */
export const endLimits = {
  /** For the last Events, before the pod ends without them (data-movement.md section 7: at most 1 min). */
  eventsFlushMs: 60_000,
  /** The same when it was told to stop: the grace period of its pod is running. */
  eventsFlushOnStopMs: 5_000,
} as const;

/** Bounded, and cut short by a stop that comes while it waits. */
export async function flushEvents(
  events: EventRecorder,
  { clock, log, stop }: { clock: Clock; log: Logger; stop: AbortSignal },
): Promise<void> {
  const late = new AbortController();
  const hurry = () => {
    const soon = clock.deadline(endLimits.eventsFlushOnStopMs);
    soon.addEventListener('abort', () => late.abort(soon.reason), { once: true });
  };
  if (stop.aborted) hurry();
  else stop.addEventListener('abort', hurry, { once: true });
  try {
    await events.flush(AbortSignal.any([late.signal, clock.deadline(endLimits.eventsFlushMs)]));
  } catch (error) {
    log.warn({ err: error }, 'not all events could be recorded');
  }
}
