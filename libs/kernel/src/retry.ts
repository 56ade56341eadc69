import { type BackoffLimits, backoffMs } from './backoff.ts';
import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

export interface RetryPolicy {
  backoff: BackoffLimits;
  /** Whether a retry can help, by the kind of the error. Called once for each failure. */
  mayRetry(error: unknown): boolean;
  /** Total attempts, the first included; no limit when absent: then only the signal ends the retries. */
  attemptsMax?: number;
  /** No delay ends later than this after the first attempt began. */
  budgetMs?: number;
  /** The delay that the server asks for, in ms, instead of the backoff. */
  askedMs?(error: unknown): number | undefined;
  /** Called before each delay; `attempt` is the one that failed, from 1. */
  onRetry?(failure: { error: unknown; attempt: number; waitMs: number }): void;
}

export interface RetryPorts {
  clock: Clock;
  random: Random;
}

/** The attempts of one operation; {@link retry} is the usual way to use it. */
export class Retries {
  readonly #ports: RetryPorts;
  readonly #policy: RetryPolicy;
  readonly #signal: AbortSignal | undefined;
  readonly #startMs: number;
  #attempt = 1;

  constructor(ports: RetryPorts, policy: RetryPolicy, signal?: AbortSignal) {
    this.#ports = ports;
    this.#policy = policy;
    this.#signal = signal;
    this.#startMs = ports.clock.monotonicMs();
  }

  /** The present attempt, from 1. */
  get attempt(): number {
    return this.#attempt;
  }

  /** Resolves when the next attempt may begin. @throws `error` itself when no attempt is left; the signal's reason on abort */
  async afterFailure(error: unknown): Promise<void> {
    this.#signal?.throwIfAborted();
    const { clock, random } = this.#ports;
    const { attemptsMax = Number.POSITIVE_INFINITY, budgetMs = Number.POSITIVE_INFINITY } = this.#policy;
    if (this.#attempt >= attemptsMax || !this.#policy.mayRetry(error)) throw error;
    const waitMs = this.#policy.askedMs?.(error) ?? backoffMs(this.#attempt, this.#policy.backoff, random);
    if (clock.monotonicMs() - this.#startMs + waitMs > budgetMs) throw error;
    this.#policy.onRetry?.({ error, attempt: this.#attempt, waitMs });
    await clock.sleep(waitMs, this.#signal);
    this.#attempt += 1;
  }
}

/**
 * Runs `act` until it succeeds, within the policy's attempts and delays.
 * @throws its last error; the signal's reason on abort, during a delay or instead of the next attempt
 */
export async function retry<T>(
  ports: RetryPorts,
  policy: RetryPolicy,
  act: (attempt: number) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const tries = new Retries(ports, policy, signal);
  for (;;) {
    try {
      return await act(tries.attempt);
    } catch (error) {
      await tries.afterFailure(error);
    }
  }
}
