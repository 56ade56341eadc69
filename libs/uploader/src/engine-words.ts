import type { Logger } from '@lateen/kernel';
import { isRetried } from '@lateen/repository';

export const engineWordsLimits = {
  /** The most lines per run that are logged; a volume with a million odd files may cause a million lines. */
  loggedMax: 20,
  /** The most of those lines that the movement's warning quotes, which is an Event of 1024 bytes … */
  toldMax: 5,
  /** … and how much of each. */
  toldLengthMax: 150,
} as const;

/** The engine, and where its messages go. */
export interface EngineWordsOptions {
  session: { redact(text: string): string };
  log: Logger;
  /** True for lines that the engine prints in every run; every other line is a warning. */
  isRoutine(line: string): boolean;
}

/**
 * Collects what an engine prints on standard error while it works, except its progress: entries that it skips, and errors after
 * which it continues. The first lines are logged as warnings, the others are counted. A failure has its own message, so the
 * movement gets this warning (`tell`) only when the run succeeds.
 */
export class EngineWords {
  readonly #options: EngineWordsOptions;
  readonly #told: string[] = [];
  #count = 0;
  #logged = 0;

  constructor(options: EngineWordsOptions) {
    this.#options = options;
  }

  /** Takes one line. */
  take(line: string): void {
    const { session, log, isRoutine } = this.#options;
    const engine = session.redact(line);
    const isWarning = !isRoutine(line);
    if (!isWarning || this.#logged >= engineWordsLimits.loggedMax) log.debug({ engine }, 'engine says');
    else {
      this.#logged++;
      log.warn({ engine }, 'the engine warns');
    }
    // A request that the engine repeats is only logged: it succeeds in the end, or the run fails because of it.
    if (!isWarning || isRetried(line)) return;
    this.#count++;
    if (this.#told.length < engineWordsLimits.toldMax)
      this.#told.push(engine.replace(/^! /, '').slice(0, engineWordsLimits.toldLengthMax));
  }

  /** The run has succeeded: sends one warning for everything after which it continued. */
  tell({ onWarning }: { onWarning?(text: string): void }): void {
    if (this.#count === 0) return;
    if (this.#count > this.#logged)
      this.#options.log.warn({ count: this.#count }, 'the engine warned of more than is logged');
    const more = this.#count > this.#told.length ? '; …' : '';
    onWarning?.(`the engine has ended well, but warned of ${this.#count}: ${this.#told.join('; ')}${more}`);
  }
}
