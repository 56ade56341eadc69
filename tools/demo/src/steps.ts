import type { Clock } from '@lateen/kernel';

/** One step of the demo and its duration. */
export interface Step {
  title: string;
  ms: number;
}

/** Prints the step, runs it, and records its duration. */
export class Steps {
  readonly #clock: Clock;
  readonly #say: (text: string) => void;
  readonly done: Step[] = [];

  constructor({ clock, say }: { clock: Clock; say(text: string): void }) {
    this.#clock = clock;
    this.#say = say;
  }

  async take<R>(title: string, text: string, act: () => Promise<R>): Promise<R> {
    this.#say(text);
    const startMs = this.#clock.monotonicMs();
    const result = await act();
    this.done.push({ title, ms: this.#clock.monotonicMs() - startMs });
    return result;
  }
}
