import type { ActivePaths } from '../data-path/active-paths.ts';
import type { Release } from '../decide/releases.ts';
import type { Exposing } from '../expose/exposing.ts';
import { Sight } from '../gather/sight.ts';
import type { WorkedOn } from '../gather/worked-on.ts';
import type { Movement, MovementKind } from '../kinds/movement-kind.ts';
import type { LineNote } from '../status/line-note.ts';
import type { Admission } from './admission.ts';

/** The resources of movements that this process may hold. */
export interface Holdings<T extends Movement> {
  worked: WorkedOn<T>;
  sight: Sight<T>;
  exposing: Exposing<T>;
  paths: ActivePaths<T>;
  lines: LineNote<T>;
  admission: Admission<T>;
}

/**
 * Releases what this process holds of a movement when another node or another attempt has continued it. Each release may be
 * repeated.
 */
export class GiveBack<T extends Movement> {
  readonly #kind: MovementKind<T>;
  readonly #held: Holdings<T>;

  constructor(kind: MovementKind<T>, held: Holdings<T>) {
    this.#kind = kind;
    this.#held = held;
  }

  /** Releases in the given order. */
  async all(releases: readonly Release[], object: T, signal: AbortSignal): Promise<void> {
    const { worked, sight, exposing, paths, lines, admission } = this.#held;
    const key = Sight.key(object);
    const one: Readonly<Record<Release, () => unknown>> = {
      'earlier-attempt': () => this.#leaveBehind('earlier-attempt', object, signal),
      'another-object': () => this.#leaveBehind('another-object', object, signal),
      'late-exposure': () => exposing.undo(object, signal),
      memory: () => {
        worked.forget(key);
        sight.forget(key);
      },
      'running-exposure': () => exposing.cutShort(object),
      exposure: () => exposing.stop(object),
      finishing: () => paths.cancel(object, key),
      'line-note': () => lines.forget(key),
      room: () => admission.leaveLine(object),
      'exposure-place': () => exposing.leaveLine(object),
      slot: () => paths.release(key),
    };
    for (const each of releases) await one[each]();
  }

  async #leaveBehind(which: 'earlier-attempt' | 'another-object', object: T, signal: AbortSignal): Promise<void> {
    const { worked, exposing } = this.#held;
    const key = Sight.key(object);
    const earlier = worked.get(key);
    if (earlier === undefined) return;
    await exposing.stop(earlier);
    if (which === 'earlier-attempt') return worked.remember(object);
    await this.#kind.cleanUp(earlier, signal);
    worked.forget(key);
  }
}
