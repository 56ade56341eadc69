import { orAborted } from '@lateen/kernel';

/**
 * Attempts that may not end when they are told to: a store may hang in the operating system. Each subject has one at a
 * time, however often it is tried, so that what hangs costs memory once.
 */
export class Attempts {
  readonly #running = new Map<string, Promise<unknown>>();

  /** Attempts that have not ended, given up by their caller or not. */
  get size(): number {
    return this.#running.size;
  }

  /** Waits for the subject's earlier attempt, then begins. @throws what `begin` does, or the signal's reason at once */
  async run(subject: string, begin: () => Promise<void>, signal: AbortSignal): Promise<void> {
    for (let earlier = this.#running.get(subject); earlier !== undefined; earlier = this.#running.get(subject)) {
      await orAborted(earlier, signal);
    }
    signal.throwIfAborted();
    const work = begin();
    const ended = work.then(
      () => {},
      () => {},
    );
    const kept = ended.finally(() => this.#running.delete(subject));
    this.#running.set(subject, kept);
    await orAborted(work, signal);
  }
}
