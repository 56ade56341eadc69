import type { Restore } from '@lateen/api-types';
import { OwnWrites } from '@lateen/run';
import { decideTurn, type Turn } from './decide-turn.ts';

/** Decides which restore of this process starts. Deciding and reserving is one step, so that two waiting restores never both start. */
export class Turns {
  readonly #list: () => readonly Restore[];
  readonly #concurrentMax: number;
  readonly #taken = new Set<string>();
  readonly #own = new OwnWrites<Restore>();

  constructor(list: () => readonly Restore[], concurrentMax: number) {
    this.#list = list;
    this.#concurrentMax = concurrentMax;
  }

  /** Returns undefined when the restore may start; its turn is reserved until {@link begun}. */
  take(restore: Restore): Turn | undefined {
    const view = { restores: this.#own.over(this.#list()), taken: this.#taken, concurrentMax: this.#concurrentMax };
    const turn = decideTurn(restore, view);
    if (turn === undefined) this.#taken.add(restore.metadata.uid ?? '');
    return turn;
  }

  /** Ends the reservation: the restore has started, with the state `running`; undefined: it has not started. */
  begun(restore: Restore, running: Restore | undefined): void {
    this.#taken.delete(restore.metadata.uid ?? '');
    if (running !== undefined) this.#own.add(restore, running);
  }
}
