import { attemptOf } from '@lateen/api-types';
import { keyOf, keyText } from '@lateen/kube';
import type { Movement } from '../kinds/movement-kind.ts';

/** How what this process last worked on under a name relates to the present object of that name. */
export type Worked = 'nothing' | 'this-attempt' | 'earlier-attempt' | 'another-object';

/**
 * The movements that this process has worked on, as it last saw them: for the clean-up after an object that vanishes although our
 * finalizer should have held it. Bounded by the movements that have not ended: when any node concludes a movement, its entry is
 * removed, because its name may be used again.
 */
export class WorkedOn<T extends Movement> {
  readonly #objects = new Map<string, T>();

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  remember(object: T): void {
    this.#objects.set(keyText(keyOf(object)), object);
  }

  forget(key: string): void {
    this.#objects.delete(key);
  }

  /** A copy that is older than what was worked on, as an informer's may be, counts as the same attempt. */
  relationTo(object: T): Worked {
    const worked = this.#objects.get(keyText(keyOf(object)));
    if (worked === undefined) return 'nothing';
    if (worked.metadata.uid !== object.metadata.uid) return 'another-object';
    return attemptOf(worked) < attemptOf(object) ? 'earlier-attempt' : 'this-attempt';
  }
}
