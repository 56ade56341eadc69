import { isTerminalPhase } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import type { Movement } from './movement-kind.ts';

/**
 * When this process first saw that an object shall be canceled; whoever has it in hand is given time from then on
 * (data-movement.md section 7). Bounded by the objects that are being canceled: forgotten when they have ended.
 */
export class CancelSightings {
  readonly #clock: Clock;
  readonly #firstMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Epoch ms; undefined when nobody has asked, or the object has ended. */
  of(object: Movement): number | undefined {
    const { uid = '' } = object.metadata;
    if (object.spec.cancel !== true || isTerminalPhase(object.status?.phase)) {
      this.forget(object);
      return undefined;
    }
    const firstMs = this.#firstMs.get(uid) ?? this.#clock.now();
    this.#firstMs.set(uid, firstMs);
    return firstMs;
  }

  forget(object: Movement): void {
    this.#firstMs.delete(object.metadata.uid ?? '');
  }
}
