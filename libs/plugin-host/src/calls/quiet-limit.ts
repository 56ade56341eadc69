import type { Clock } from '@lateen/kernel';

/** Why a wait ends that is not needed any more. One for all: making an error for each call took a twelfth of the time of calls. */
const heard = new Error('something was heard');

/** Aborts when nothing was heard for so long. */
export class QuietLimit {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #late = new AbortController();
  #wait = new AbortController();

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
    this.touch();
  }

  get signal(): AbortSignal {
    return this.#late.signal;
  }

  /** Something was heard: the time begins anew. */
  touch(): void {
    this.pause();
    const wait = new AbortController();
    this.#wait = wait;
    const end = () => this.#late.abort(new DOMException('nothing was heard in time', 'TimeoutError'));
    this.#clock.sleep(this.#ms, wait.signal).then(end, () => {});
  }

  /** It is our turn: the time stands still until the next `touch`. */
  pause(): void {
    this.#wait.abort(heard);
  }
}
