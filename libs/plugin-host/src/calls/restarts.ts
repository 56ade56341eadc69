import { AppError } from '@lateen/errors';
import { backoffMs, type Clock, type Random } from '@lateen/kernel';
import type { PluginLimits } from '../limits.ts';

/** When a process of a program may be restarted: successive processes without an answer make the delays longer, and finally stop the restarts. */
export class Restarts {
  readonly #options: { program: string; clock: Clock; random: Random; limits: PluginLimits };
  #useless = 0;
  #lastError: unknown;

  constructor(options: { program: string; clock: Clock; random: Random; limits: PluginLimits }) {
    this.#options = options;
  }

  answered(): void {
    this.#useless = 0;
  }

  /** A process ended, or could not be started, without an answer. */
  useless(error: unknown): void {
    this.#useless += 1;
    this.#lastError = error;
  }

  /** Resolves when the next one may be started. @throws when the program is not started any more */
  async next(signal: AbortSignal): Promise<void> {
    const { clock, random, limits, program } = this.#options;
    if (this.#useless >= limits.uselessStartsMax) {
      const message = `plugin program ${program} was started ${this.#useless} times and answered nothing; it is not started again for this run`;
      throw new AppError('PLUGIN_PROGRAM_NOT_STARTED', message, { cause: this.#lastError });
    }
    if (this.#useless > 0) await clock.sleep(backoffMs(this.#useless, limits.restart, random), signal);
  }
}
