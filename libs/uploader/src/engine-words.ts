import type { Logger } from '@lateen/kernel';
import { isRetried } from '@lateen/repository';

export const engineWordsLimits = {
  /** Lines of one run that stand in the log; of a volume with a million odd files there may be a million. */
  loggedMax: 20,
  /** Of those, the ones that are told in the warning of the movement, which is an Event of 1024 bytes … */
  toldMax: 5,
  /** … and how much of each. */
  toldLengthMax: 150,
} as const;

/** Whose words they are, and where they go. */
export interface EngineWordsOptions {
  session: { redact(text: string): string };
  log: Logger;
  /** What the engine says in every run, and means nothing by; everything else is a warning. */
  isRoutine(line: string): boolean;
}

/**
 * What an engine says on standard error while it works, beside its progress: entries that it leaves out, errors that it goes on
 * after. The first of them are warnings in the log, the others are counted. A failure tells its cause by itself, so that
 * the movement is told (`tell`) only of a run that ends well.
 */
export class EngineWords {
  readonly #options: EngineWordsOptions;
  readonly #told: string[] = [];
  #count = 0;
  #logged = 0;

  constructor(options: EngineWordsOptions) {
    this.#options = options;
  }

  /** One line. */
  take(line: string): void {
    const { session, log, isRoutine } = this.#options;
    const engine = session.redact(line);
    const isWarning = !isRoutine(line);
    if (!isWarning || this.#logged >= engineWordsLimits.loggedMax) log.debug({ engine }, 'engine says');
    else {
      this.#logged++;
      log.warn({ engine }, 'the engine warns');
    }
    // A request that is made again is for the log alone: in the end it succeeds, or the run fails of it.
    if (!isWarning || isRetried(line)) return;
    this.#count++;
    if (this.#told.length < engineWordsLimits.toldMax)
      this.#told.push(engine.replace(/^! /, '').slice(0, engineWordsLimits.toldLengthMax));
  }

  /** The run has ended well: one warning for all of what it went on after. */
  tell({ onWarning }: { onWarning?(text: string): void }): void {
    if (this.#count === 0) return;
    if (this.#count > this.#logged)
      this.#options.log.warn({ count: this.#count }, 'the engine warned of more than is logged');
    const more = this.#count > this.#told.length ? '; …' : '';
    onWarning?.(`the engine has ended well, but warned of ${this.#count}: ${this.#told.join('; ')}${more}`);
  }
}
