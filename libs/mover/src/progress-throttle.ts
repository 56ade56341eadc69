import type { DataPathProgress } from '@lateen/datapath';
import type { Clock } from '@lateen/kernel';

/** One write each second, of one Event object: often enough to look on, and little for the API server. */
export const progressEveryMs = 1_000;

export interface ProgressThrottle {
  update(progress: DataPathProgress): void;
  /** Reports the delayed progress; nothing is reported after it. */
  end(): void;
}

/**
 * Passes progress on at most once a second and, while updates come, at least that often: what is held back is told when
 * the second is over, and does not wait for the next update.
 */
export function progressThrottle(clock: Clock, tell: (progress: DataPathProgress) => void): ProgressThrottle {
  const ended = new AbortController();
  let held: DataPathProgress | undefined;
  let pausing = false;
  const tellHeld = () => {
    if (held === undefined) return;
    const progress = held;
    held = undefined;
    tell(progress);
    pausing = true;
    clock.sleep(progressEveryMs, ended.signal).then(
      () => {
        pausing = false;
        tellHeld();
      },
      () => {},
    );
  };
  return {
    update: (progress) => {
      if (ended.signal.aborted) return;
      held = progress;
      if (!pausing) tellHeld();
    },
    end: () => {
      if (ended.signal.aborted) return;
      if (held !== undefined) tell(held);
      held = undefined;
      ended.abort(new DOMException('no more progress', 'AbortError'));
    },
  };
}
