import type { Restore } from '@lateen/api-types';
import { OwnWrites } from '@lateen/run';
import { decideTurn, type Turn } from './decide-turn.ts';

/** Who begins, among the restores of this process: decided and taken in one step, so that two that wait never both begin. */
export class Turns {
  readonly #list: () => readonly Restore[];
  readonly #concurrentMax: number;
  readonly #taken = new Set<string>();
  readonly #own = new OwnWrites<Restore>();

  constructor(list: () => readonly Restore[], concurrentMax: number) {
    this.#list = list;
    this.#concurrentMax = concurrentMax;
  }

  /** Undefined: it is its turn, and it has it until {@link begun}. */
  take(restore: Restore): Turn | undefined {
    const view = { restores: this.#own.over(this.#list()), taken: this.#taken, concurrentMax: this.#concurrentMax };
    const turn = decideTurn(restore, view);
    if (turn === undefined) this.#taken.add(restore.metadata.uid ?? '');
    return turn;
  }

  /** It has begun, as `running` says; undefined: it has not. */
  begun(restore: Restore, running: Restore | undefined): void {
    this.#taken.delete(restore.metadata.uid ?? '');
    if (running !== undefined) this.#own.add(restore, running);
  }
}
