import type { Clock } from '@lateen/kernel';

export interface ProgressWriterOptions<Progress> {
  intervalMs: number;
  clock: Clock;
  /** A failure is not fatal: the next report writes the newer progress. */
  write(progress: Progress): Promise<void>;
}

/** Writes progress at most once per interval, always the newest, one write at a time. */
export class ProgressWriter<Progress> {
  readonly #options: ProgressWriterOptions<Progress>;
  readonly #stopped = new AbortController();
  #next: Progress | undefined;
  #loop: Promise<void> | undefined;

  constructor(options: ProgressWriterOptions<Progress>) {
    this.#options = options;
  }

  report(progress: Progress): void {
    if (this.#stopped.signal.aborted) return;
    this.#next = progress;
    this.#loop ??= this.#run();
  }

  /** Resolves when no write runs and none will follow. Unwritten progress is dropped. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { intervalMs, clock, write } = this.#options;
    while (this.#next !== undefined && !this.#stopped.signal.aborted) {
      const progress = this.#next;
      this.#next = undefined;
      await write(progress).catch(() => {});
      await clock.sleep(intervalMs, this.#stopped.signal).catch(() => {});
    }
    this.#loop = undefined;
  }
}
