import type { Restore } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';

/** How long a restore may still wait for its location. */
export interface LocationWait {
  leftMs: number;
  timeoutMs: number;
  /** It has only just begun to wait. */
  isFirst: boolean;
}

/** Since when restores of this process wait for a location that is Unavailable, by the clock that never jumps. Bounded by those InProgress. */
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

  /** It waits no more, whatever became of it. */
  end({ metadata: { uid = '' } }: Restore): void {
    this.#sinceMs.delete(uid);
  }
}
