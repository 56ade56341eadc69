import type { Clock } from '@lateen/kernel';
import { keyOf, keyText } from '@lateen/kube';
import type { Movement } from '../kinds/movement-kind.ts';

/**
 * When this process first saw that something is true of an object: for facts that are recorded nowhere else, or that are recorded with
 * a clock we cannot trust. Bounded by the objects for which it is true; another object of the same name starts a new record.
 */
export class Sightings {
  readonly #clock: Clock;
  readonly #first = new Map<string, { uid: string | undefined; ms: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Epoch ms; when it is not true, the record is removed and undefined is returned. */
  since(object: Movement, isTrue: boolean): number | undefined {
    const key = keyText(keyOf(object));
    if (!isTrue) {
      this.forget(key);
      return undefined;
    }
    const { uid } = object.metadata;
    const known = this.#first.get(key);
    const first = known?.uid === uid && known !== undefined ? known : { uid, ms: this.#clock.now() };
    this.#first.set(key, first);
    return first.ms;
  }

  forget(key: string): void {
    this.#first.delete(key);
  }
}
