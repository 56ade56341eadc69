import type { Restore } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';

/** How long a restore may still wait for its location. */
export interface LocationWait {
  leftMs: number;
  timeoutMs: number;
  /** Whether the wait has just begun. */
  isFirst: boolean;
}

/** Since when restores wait for an Unavailable location, by the monotonic clock. Bounded by the number of restores InProgress. */
export class LocationWaits {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #timeoutMs: number;
  readonly #sinceMs = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  at({ metadata: { uid = '' } }: Restore): LocationWait {
    const nowMs = this.#clock.monotonicMs();
    const sinceMs = this.#sinceMs.get(uid);
    this.#sinceMs.set(uid, sinceMs ?? nowMs);
    const timeoutMs = this.#timeoutMs;
    return { leftMs: (sinceMs ?? nowMs) + timeoutMs - nowMs, timeoutMs, isFirst: sinceMs === undefined };
  }

  /** Ends the wait, whatever its outcome. */
  end({ metadata: { uid = '' } }: Restore): void {
    this.#sinceMs.delete(uid);
  }
}
