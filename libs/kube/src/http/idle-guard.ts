import type { Clock } from '@lateen/kernel';

export interface IdleGuard {
  /** Data has arrived: the wait begins again. */
  touch(): void;
  /** What follows is not the peer's time, until the next touch. */
  pause(): void;
  /** Ends the watching; always call it. */
  stop(): void;
}

/** Why a watch ends that is not needed any more. One for all: making an error, with its stack, for each took a twelfth of the time of short calls. */
const notNeeded = new DOMException('idle guard stopped', 'AbortError');

/**
 * Calls `onIdle` once when `idleMs` pass without a touch: the only way to notice a peer that keeps the connection
 * open but is gone. One timer however many touches, so it costs nothing per event.
 */
export function idleGuard(clock: Clock, idleMs: number, onIdle: () => void): IdleGuard {
  const stopped = new AbortController();
  let touchedMs = clock.monotonicMs();
  let paused = false;
  const leftMs = () => (paused ? idleMs : touchedMs + idleMs - clock.monotonicMs());
  const watch = async () => {
    for (let waitMs = idleMs; waitMs > 0; waitMs = leftMs()) await clock.sleep(waitMs, stopped.signal);
    onIdle();
  };
  watch().catch((error: unknown) => {
    if (!stopped.signal.aborted) throw error;
  });
  return {
    touch: () => {
      touchedMs = clock.monotonicMs();
      paused = false;
    },
    pause: () => {
      paused = true;
    },
    stop: () => stopped.abort(notNeeded),
  };
}
