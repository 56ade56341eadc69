import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';

/** Ages and rates change without an event. */
const redrawMs = 1_000;
/** At most ten updates a second are drawn, because more cannot be read. */
const betweenDrawsMs = 100;

export interface Drawing {
  draw(): void;
  /** Calls back whenever there is something new to draw. */
  onChange(changed: () => void): void;
}

/** Redraws until `signal` aborts: after each change, and each second. Does not reject on the abort. */
export async function keepDrawing({ draw, onChange }: Drawing, clock: Clock, signal: AbortSignal): Promise<void> {
  let changed = new AbortController();
  onChange(() => changed.abort(new AppError('CHANGED', 'there is something new to draw')));
  while (!signal.aborted) {
    changed = new AbortController();
    draw();
    await clock.sleep(betweenDrawsMs, signal).catch(() => {});
    if (!signal.aborted) await clock.sleep(redrawMs, AbortSignal.any([signal, changed.signal])).catch(() => {});
  }
}
