import { attemptOf } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { type BackoffLimits, type Clock, type Logger, type Random, type RetryPolicy, retry } from '@lateen/kernel';
import type { Movement } from '../kinds/movement-kind.ts';
import { type Place, type Slots, slots } from '../slots.ts';
import { isTransient } from '../transient-error.ts';

export interface ExposuresPorts {
  clock: Clock;
  random: Random;
  log: Logger;
  /** The most exposures that run at the same time; see {@link Exposures.enter}. */
  max: number;
}

/** The API server may be away for minutes; the prepare timeout ends the exposure in that case. */
const backoff: BackoffLimits = { firstMs: 500, maxMs: 15_000, factor: 2, jitter: 0.2 };

interface Running {
  stop: AbortController;
  ended: Promise<void>;
  done: boolean;
  doneMs: number;
}

/**
 * The exposures that this process works on, one per key. They run outside the reconcilers, because an exposure waits for
 * snapshots, volumes and consumers and must not block a worker. When the process dies nothing is lost: an exposure is idempotent
 * and starts again.
 */
export class Exposures {
  readonly #ports: ExposuresPorts;
  readonly #running = new Map<string, Running>();
  readonly #places: Slots;

  constructor(ports: ExposuresPorts) {
    this.#ports = ports;
    this.#places = slots(ports.max);
  }

  get max(): number {
    return this.#ports.max;
  }

  /** Number of exposures that run; finished ones are only remembered. */
  get running(): number {
    return [...this.#running.values()].filter((each) => !each.done).length;
  }

  stateOf(key: string): 'none' | 'running' | 'done' {
    const running = this.#running.get(key);
    if (running === undefined) return 'none';
    return running.done ? 'done' : 'running';
  }

  /** How long ago the exposure was done, in ms; undefined when it is not done. */
  doneForMs(key: string): number | undefined {
    const running = this.#running.get(key);
    return running?.done === true ? this.#ports.clock.monotonicMs() - running.doneMs : undefined;
  }

  /**
   * Returns true when the exposure may start, or has started before. Otherwise the key waits in the queue; at its turn `wake` is
   * called once, and the place is kept until {@link start}, {@link leave} or {@link stop}.
   */
  enter(key: string, place: Place, wake: () => void): boolean {
    return this.#running.has(key) || this.#places.tryTake(key, place, wake);
  }

  /** Leaves the queue, or frees a place that was not used. Does not touch a running exposure. Safe to repeat. */
  leave(key: string): void {
    if (this.stateOf(key) !== 'running') this.#places.release(key);
  }

  /**
   * Starts an exposure that has a place. Failures of the API server are retried until {@link stop}; any other error goes to
   * `onFailed`. Safe to repeat.
   */
  start(
    key: string,
    expose: (signal: AbortSignal) => Promise<void>,
    onFailed: (error: unknown) => Promise<void>,
  ): void {
    if (this.#running.has(key)) return;
    const stop = new AbortController();
    const running: Running = { stop, done: false, doneMs: 0, ended: Promise.resolve() };
    running.ended = this.#run(key, expose, onFailed, stop.signal).finally(() => {
      running.done = true;
      running.doneMs = this.#ports.clock.monotonicMs();
      this.#places.release(key);
    });
    this.#running.set(key, running);
  }

  /** Stops an exposure and remembers that there was one; resolves when nothing of it runs any more. */
  async cutShort(key: string): Promise<void> {
    const running = this.#running.get(key);
    running?.stop.abort(new Error('the exposure is no longer wanted'));
    await running?.ended;
  }

  /** Stops and forgets an exposure; resolves when nothing of it runs any more. */
  async stop(key: string): Promise<void> {
    await this.cutShort(key);
    this.#running.delete(key);
    this.leave(key);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((key) => this.stop(key)));
  }

  async #run(
    key: string,
    expose: (signal: AbortSignal) => Promise<void>,
    onFailed: (error: unknown) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { log } = this.#ports;
    const policy: RetryPolicy = {
      backoff,
      mayRetry: isTransient,
      onRetry: ({ error, attempt }) =>
        log.warn({ key, attempt, reason: describeError(error) }, 'the exposure is tried again'),
    };
    try {
      await retry(this.#ports, policy, () => allOrNone(expose, signal), signal);
    } catch (error) {
      if (!signal.aborted) await this.#report(key, () => onFailed(error), signal);
    }
  }

  /** Until the failure is recorded, the object looks as if its exposure were still running. */
  async #report(key: string, record: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { log } = this.#ports;
    const policy: RetryPolicy = {
      backoff,
      mayRetry: () => true,
      onRetry: ({ error, attempt }) =>
        log.warn({ key, attempt, err: error }, 'a failed exposure could not be recorded; it is tried again'),
    };
    await retry(this.#ports, policy, record, signal).catch(() => signal.aborted);
  }
}

/** When one part fails, the other parts are stopped before the next try. */
async function allOrNone(expose: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
  const failed = new AbortController();
  try {
    await expose(AbortSignal.any([signal, failed.signal]));
  } catch (error) {
    failed.abort(error);
    throw error;
  }
}

/** Each attempt has its own exposure. All kinds of movements share the places. */
export const exposureKey = (object: Movement): string => `${object.kind}/${object.metadata.uid}/${attemptOf(object)}`;
