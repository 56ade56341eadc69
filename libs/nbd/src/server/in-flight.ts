export interface InFlightLimits {
  requestsMax: number;
  bytesMax: number;
}

/** The requests that one export has under way, on all its connections together, with the data that they hold. */
export class InFlight {
  readonly #limits: InFlightLimits;
  readonly #waiting = new Set<() => void>();
  #requests = 0;
  #bytes = 0;

  constructor(limits: InFlightLimits) {
    this.#limits = limits;
  }

  /** True when there was room for one more; one that is alone always has it. */
  take(bytes: number): boolean {
    const fits = this.#requests < this.#limits.requestsMax && this.#bytes + bytes <= this.#limits.bytesMax;
    if (!fits && this.#requests > 0) return false;
    this.#requests += 1;
    this.#bytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#requests -= 1;
    this.#bytes -= bytes;
    const wakes = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of wakes) wake();
  }

  /** `wake` is called once, when something has been given back. */
  wait(wake: () => void): void {
    this.#waiting.add(wake);
  }

  forget(wake: () => void): void {
    this.#waiting.delete(wake);
  }
}
