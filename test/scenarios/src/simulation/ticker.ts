import type { Clock } from '@lateen/kernel';
import type { Dice } from './dice.ts';

/** Calls `act` some time after a poke, once for many pokes, and again while `act` wants it. */
export class Ticker {
  readonly #clock: Clock;
  readonly #dice: Dice;
  readonly #delayMsMax: number;
  readonly #act: () => boolean;
  #due = false;

  /** `act` returns true when it is to be called again. */
  constructor(options: { clock: Clock; dice: Dice; delayMsMax: number }, act: () => boolean) {
    this.#clock = options.clock;
    this.#dice = options.dice;
    this.#delayMsMax = options.delayMsMax;
    this.#act = act;
  }

  poke(): void {
    if (this.#due) return;
    this.#due = true;
    void this.#clock.sleep(this.#dice.between(0, this.#delayMsMax)).then(() => {
      this.#due = false;
      if (this.#act()) this.poke();
    });
  }
}
