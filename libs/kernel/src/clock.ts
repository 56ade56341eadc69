/**
 * Time as a port. Everything that reads the time, waits, or sets a deadline takes one of these, so that a test
 * (and the simulator) can advance it by hand. The real timers are used only in {@link systemClock}.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds on a clock that never jumps; for measuring, not for dates. */
  monotonicMs(): number;
  /** Resolves after `ms`. Rejects with the signal's reason as soon as it aborts; the timer is then gone. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A signal that aborts with a DOMException named `TimeoutError` after `ms`. Does not keep the process alive. */
  deadline(ms: number): AbortSignal;
}

/** Node fires a timer at once when its delay does not fit into 31 bits. */
const timerMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise<void>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
        Math.min(Math.max(ms, 0), timerMsMax),
      );
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
  deadline: (ms) => AbortSignal.timeout(Math.min(Math.max(Math.ceil(ms), 0), timerMsMax)),
};
