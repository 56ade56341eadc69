import { type Clock, orAborted } from '@lateen/kernel';

/** A rate in bytes per second that may change while others wait for it. */
export interface TokenBucket {
  /**
   * Resolves when `bytes` may pass; in the order of the calls. What is larger than a second's worth passes when the
   * bucket is full enough to begin, and the next one waits for it: the average holds, whatever the sizes.
   * @throws the reason of the signal
   */
  take(bytes: number, signal?: AbortSignal): Promise<void>;
  /** From now on; also for those who wait. `undefined` lifts the limit. @throws RangeError unless above 0 */
  setRate(bytesPerSecond: number | undefined): void;
  readonly bytesPerSecond: number | undefined;
}

/** Holds one second's worth, so that a pause is not followed by a flood. */
export function tokenBucket(bytesPerSecond: number | undefined, clock: Clock): TokenBucket {
  let rate = checked(bytesPerSecond);
  let tokens = rate ?? 0;
  let filledMs = clock.monotonicMs();
  let changed = new AbortController();
  /** The one who came last; the next waits for it. */
  let last: Promise<void> = Promise.resolve();

  const fill = () => {
    const nowMs = clock.monotonicMs();
    if (rate !== undefined) tokens = Math.min(tokens + ((nowMs - filledMs) * rate) / 1_000, rate);
    filledMs = nowMs;
  };
  const wait = async (ms: number, signal: AbortSignal | undefined) => {
    const either = signal === undefined ? changed.signal : AbortSignal.any([signal, changed.signal]);
    try {
      await clock.sleep(ms, either);
    } catch (error) {
      // A changed rate only means to look again.
      if (signal?.aborted || !either.aborted) throw error;
    }
  };
  const pass = async (bytes: number, signal: AbortSignal | undefined) => {
    for (;;) {
      signal?.throwIfAborted();
      fill();
      if (rate === undefined) return;
      const needed = Math.min(bytes, rate);
      // A millionth of a byte is what rounding leaves open, not what anybody waits for.
      if (tokens >= needed - 1e-6) {
        tokens -= bytes;
        return;
      }
      await wait(Math.ceil(((needed - tokens) * 1_000) / rate), signal);
    }
  };
  return {
    take: (bytes, signal) => {
      const turn = last.then(() => pass(bytes, signal));
      // A caller that gives up frees its place; its error is not passed on.
      last = turn.catch(() => {});
      // An abort is heard at once, also while others are before it; the turn then ends when it comes.
      return orAborted(turn, signal);
    },
    setRate: (next) => {
      fill();
      rate = checked(next);
      tokens = rate === undefined ? 0 : Math.min(tokens, rate);
      const before = changed;
      changed = new AbortController();
      before.abort(new Error('the rate changed'));
    },
    get bytesPerSecond() {
      return rate;
    },
  };
}

function checked(bytesPerSecond: number | undefined): number | undefined {
  if (bytesPerSecond === undefined || (Number.isFinite(bytesPerSecond) && bytesPerSecond > 0)) return bytesPerSecond;
  throw new RangeError(`a rate is above 0 bytes per second, not ${bytesPerSecond}`);
}
