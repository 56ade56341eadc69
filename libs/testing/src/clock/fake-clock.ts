import type { Clock } from '@lateen/kernel';
import { letWorkRun } from './let-work-run.ts';

interface Timer {
  dueMs: number;
  /** Timers due at the same time fire in the order they were set. */
  order: number;
  fire: () => void;
}

/** A loop that sets 0 ms timers without end is a defect; an error is better than a test that hangs. */
const timersPerAdvanceMax = 1_000_000;

/**
 * A clock that stands still until a test advances it. Between two timers all runnable work runs, so that work
 * started by the first timer can set or cancel the next one.
 */
export class FakeClock implements Clock {
  #nowMs: number;
  readonly #startMs: number;
  #leapMs = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(start: string | number = '2030-01-01T00:00:00Z') {
    this.#nowMs = typeof start === 'number' ? start : Date.parse(start);
    if (Number.isNaN(this.#nowMs)) throw new TypeError(`not a date: ${start}`);
    this.#startMs = this.#nowMs;
  }

  now(): number {
    return this.#nowMs + this.#leapMs;
  }

  monotonicMs(): number {
    return this.#nowMs - this.#startMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        this.#timers.delete(timer);
        reject(signal?.reason);
      };
      const timer = this.#set(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  deadline(ms: number): AbortSignal {
    const controller = new AbortController();
    this.#set(ms, () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')));
    return controller.signal;
  }

  /** Number of sleeps and deadlines that have not fired. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Time until the next timer in ms; undefined when none is set. */
  get nextDueInMs(): number | undefined {
    const next = this.#next();
    return next === undefined ? undefined : Math.max(next.dueMs - this.#nowMs, 0);
  }

  /** Simulates a change of the system time: dates jump by `ms`, also backwards; timers are not affected. */
  leap(ms: number): void {
    this.#leapMs += ms;
  }

  /** Advances time by `ms`, fires due timers in order, and lets the work in between run. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await letWorkRun();
    for (let fired = 0; ; fired++) {
      const next = this.#next();
      if (next === undefined || next.dueMs > untilMs) break;
      if (fired >= timersPerAdvanceMax) throw new Error(`more than ${timersPerAdvanceMax} timers fired in ${ms} ms`);
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.fire();
      await letWorkRun();
    }
    this.#nowMs = untilMs;
  }

  /**
   * Advances from timer to timer until `condition` holds; at most `withinMs` of this clock's time. When no timer is left
   * it only lets work run.
   * @throws Error when the condition does not hold in time
   */
  async advanceUntil(condition: () => boolean, options: { withinMs?: number } = {}): Promise<void> {
    const withinMs = options.withinMs ?? 600_000;
    const endMs = this.#nowMs + withinMs;
    await letWorkRun();
    while (!condition()) {
      const stepMs = this.nextDueInMs;
      if (stepMs === undefined || this.#nowMs + stepMs > endMs) {
        await this.advance(Math.max(endMs - this.#nowMs, 0));
        if (condition()) return;
        throw new Error(`the condition did not hold within ${withinMs} ms of the fake clock: ${condition}`);
      }
      await this.advance(stepMs);
    }
  }

  #set(ms: number, fire: () => void): Timer {
    const timer = { dueMs: this.#nowMs + Math.max(ms, 0), order: this.#order++, fire };
    this.#timers.add(timer);
    return timer;
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (next === undefined || timer.dueMs < next.dueMs || (timer.dueMs === next.dueMs && timer.order < next.order)) {
        next = timer;
      }
    }
    return next;
  }
}
