import type { DataPathProgress } from '@lateen/datapath';
import type { Clock } from '@lateen/kernel';

/**
 * How often progress is told, by how long the path has run: often while somebody may be looking on, then as rarely as
 * the reference does (data-movement.md section 7: at most each 10 s), so that long uploads cost the API server little.
 */
const steps = [
  { untilMs: 15_000, everyMs: 1_000 },
  { untilMs: 120_000, everyMs: 3_000 },
  { untilMs: Number.POSITIVE_INFINITY, everyMs: 10_000 },
] as const;

/** Passes progress on at most as often as {@link steps} say; `flush` tells the last one if it was held back. */
export function progressThrottle(clock: Clock, tell: (progress: DataPathProgress) => void) {
  const startMs = clock.monotonicMs();
  let toldMs: number | undefined;
  let held: DataPathProgress | undefined;
  return {
    update(progress: DataPathProgress): void {
      const nowMs = clock.monotonicMs();
      const everyMs = steps.find(({ untilMs }) => nowMs - startMs < untilMs)?.everyMs ?? 0;
      held = progress;
      if (toldMs !== undefined && nowMs - toldMs < everyMs) return;
      toldMs = nowMs;
      held = undefined;
      tell(progress);
    },
    flush(): void {
      if (held === undefined) return;
      tell(held);
      held = undefined;
    },
  };
}
