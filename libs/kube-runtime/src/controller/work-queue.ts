import { AppError } from '@lateen/errors';
import { type BackoffLimits, backoffMs, type Clock, type Random } from '@lateen/kernel';
import { Delays } from './delays.ts';
import { TokenBucket } from './token-bucket.ts';

export interface WorkQueueOptions {
  /** For messages and metrics. */
  name: string;
  clock: Clock;
  random: Random;
  /** For each key: the delay after its first, second … failure. */
  backoff?: BackoffLimits;
  limits?: Partial<WorkQueueLimits>;
  metrics?: WorkQueueMetrics;
}

export interface WorkQueueLimits {
  /** Keys that wait, are delayed, or are worked on. A key is one object, so this limits the objects in trouble, not events. */
  keysMax: number;
  /** For all keys together: this many retries may be made at once … */
  retriesBurst: number;
  /** … and this many per second after that. */
  retriesPerSecond: number;
}

export const workQueueLimits: WorkQueueLimits = { keysMax: 100_000, retriesBurst: 100, retriesPerSecond: 10 };

export interface WorkQueueMetrics {
  /** Keys that are ready and not yet taken. */
  length?(name: string, length: number): void;
  /** How long a key was ready before a worker took it. */
  waited?(name: string, ms: number): void;
  retried?(name: string): void;
}

const keyBackoff: BackoffLimits = { firstMs: 200, maxMs: 300_000, factor: 2, jitter: 0.2 };

/**
 * A queue of keys to work on. A key that is added many times is worked on once; a key that is added while it is worked on comes again afterwards,
 * never concurrently. Delays use the injected clock and end with {@link close}.
 */
export class WorkQueue {
  readonly name: string;
  readonly #options: WorkQueueOptions;
  readonly #limits: WorkQueueLimits;
  readonly #bucket: TokenBucket;
  /** Ready keys in order, each with the time it became ready. */
  readonly #ready = new Map<string, number>();
  readonly #working = new Set<string>();
  /** Keys added while being worked on. */
  readonly #again = new Set<string>();
  readonly #delayed: Delays;
  readonly #failures = new Map<string, number>();
  readonly #takers: (() => void)[] = [];
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.name = options.name;
    this.#options = options;
    this.#limits = { ...workQueueLimits, ...options.limits };
    this.#delayed = new Delays(options.clock, (key) => this.add(key));
    this.#bucket = new TokenBucket(this.#limits.retriesBurst, this.#limits.retriesPerSecond, options.clock);
  }

  /** Ready keys that no worker has taken. */
  get length(): number {
    return this.#ready.size;
  }

  /** Keys whose delay has not passed yet. */
  get delayed(): number {
    return this.#delayed.size;
  }

  /** Nothing is ready, delayed, or being worked on. */
  get idle(): boolean {
    return this.#ready.size + this.#delayed.size + this.#working.size === 0;
  }

  /** Makes the key ready now, even if it was delayed. @throws WORK_QUEUE_FULL */
  add(key: string): void {
    if (this.#closed) return;
    this.#delayed.drop(key);
    if (this.#working.has(key)) {
      this.#again.add(key);
      return;
    }
    if (this.#ready.has(key)) return;
    this.#admit(key);
    this.#ready.set(key, this.#options.clock.monotonicMs());
    this.#report();
    this.#takers.shift()?.();
  }

  /** Makes the key ready after `ms`, or at the earlier of two times when it is delayed already. @throws WORK_QUEUE_FULL */
  addAfter(key: string, ms: number): void {
    if (this.#closed) return;
    if (ms <= 0) {
      this.add(key);
      return;
    }
    if (!this.#delayed.has(key)) this.#admit(key);
    this.#delayed.set(key, ms);
  }

  /**
   * Makes the key ready after its own growing backoff or the rate limit of all retries, whichever is later; at least after `atLeastMs`. Returns the
   * delay in ms. @throws WORK_QUEUE_FULL
   */
  retry(key: string, options: { atLeastMs?: number; backoff?: BackoffLimits } = {}): number {
    const failures = this.failures(key) + 1;
    this.#failures.set(key, failures);
    const limits = options.backoff ?? this.#options.backoff ?? keyBackoff;
    const own = backoffMs(failures, limits, this.#options.random);
    const waitMs = Math.max(own, this.#bucket.takeMs(), options.atLeastMs ?? 0);
    this.#options.metrics?.retried?.(this.name);
    this.addAfter(key, waitMs);
    return waitMs;
  }

  /** Resets the key's backoff: its next failure starts with the shortest delay. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Failures since the key was last forgotten. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The next key, in order; the caller must call {@link done} with it. Waits while there is none. @throws the signal's reason */
  async next(signal: AbortSignal): Promise<string> {
    for (;;) {
      signal.throwIfAborted();
      const first = this.#ready.entries().next();
      if (first.done !== true) {
        const [key, sinceMs] = first.value;
        this.#ready.delete(key);
        this.#working.add(key);
        this.#options.metrics?.waited?.(this.name, this.#options.clock.monotonicMs() - sinceMs);
        this.#report();
        return key;
      }
      await this.#oneIsReady(signal);
    }
  }

  /** Work on the key has ended; if it was added meanwhile it is ready again. */
  done(key: string): void {
    this.#working.delete(key);
    if (this.#again.delete(key)) this.add(key);
  }

  /** Drops all waiting keys, timers included. Adding does nothing from now on. */
  close(): void {
    this.#closed = true;
    this.#delayed.clear();
    this.#ready.clear();
    this.#report();
  }

  /** A key that is being worked on keeps its entry, so its result can always be recorded. */
  #admit(key: string): void {
    if (this.#working.has(key)) return;
    if (this.#ready.size + this.#delayed.size + this.#working.size < this.#limits.keysMax) return;
    throw new AppError('WORK_QUEUE_FULL', `the work queue ${this.name} holds ${this.#limits.keysMax} keys`, {
      retry: 'later',
      details: { key },
    });
  }

  #report(): void {
    this.#options.metrics?.length?.(this.name, this.#ready.size);
  }

  #oneIsReady(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const taker = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        this.#takers.splice(this.#takers.indexOf(taker), 1);
        reject(signal.reason);
      };
      this.#takers.push(taker);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}

export const workQueue = (options: WorkQueueOptions): WorkQueue => new WorkQueue(options);
