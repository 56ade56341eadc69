import { AppError } from '@lateen/errors';
import { type Clock, durationText, type Logger } from '@lateen/kernel';
import { lockExpiryMs } from '../decide/decide-lock.ts';

const refreshMs = 60_000;
/** Delay after a failure. */
const againMs = 5_000;
const callMs = 20_000;
/** Before other clients may treat the lock as expired; a call that has begun may still reach the store. */
const giveUpMs = lockExpiryMs - callMs;

export interface HeldLock {
  readonly signal: AbortSignal;
  /** @throws BLOCK_STORE_LOCK_LOST when other clients may have treated the lock as expired; the reason of an abort */
  check(): void;
}

interface Kept {
  clock: Clock;
  log: Logger;
  signal: AbortSignal;
  key: string;
  /** When the last successful write was begun, monotonic. */
  acquiredMs: number;
  /** Resolves to the time when it was begun. */
  write(signal: AbortSignal): Promise<number>;
}

/** Rewrites a lock every minute until `end`. */
export function keepLock({ clock, log, signal, key, acquiredMs, write }: Kept): {
  held: HeldLock;
  end(): Promise<void>;
} {
  const lost = new AbortController();
  const stop = new AbortController();
  let writtenMs = acquiredMs;
  const loseIfLate = (): void => {
    if (clock.monotonicMs() - writtenMs <= giveUpMs) return;
    lost.abort(
      new AppError(
        'BLOCK_STORE_LOCK_LOST',
        `${key} could not be written for ${durationText(giveUpMs)}, so other clients may continue`,
        {
          retry: 'later',
          nextStep: 'Check that the backup store can be reached, and try again.',
        },
      ),
    );
  };
  const keep = async (): Promise<void> => {
    let waitMs = refreshMs;
    while (!lost.signal.aborted) {
      await clock.sleep(waitMs, stop.signal);
      // A process that was suspended for long must not appear to have held the lock all the time.
      loseIfLate();
      if (lost.signal.aborted) return;
      try {
        writtenMs = await write(AbortSignal.any([stop.signal, clock.deadline(callMs)]));
        waitMs = refreshMs;
      } catch (err) {
        if (stop.signal.aborted) return;
        log.warn({ err, key }, 'a lock in the backup store could not be renewed');
        waitMs = againMs;
        loseIfLate();
      }
    }
  };
  const keeping = keep().catch(() => {});
  const held = AbortSignal.any([signal, lost.signal]);
  return {
    held: {
      signal: held,
      check: () => {
        loseIfLate();
        held.throwIfAborted();
      },
    },
    end: async () => {
      stop.abort();
      await keeping;
    },
  };
}
