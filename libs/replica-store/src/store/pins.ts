import { childrenOf, pathDown } from '../record/layer-tree.ts';
import type { PurgeStep } from '../record/record-merge.ts';
import type { ReplicaRecord } from '../record/replica-record.ts';

/**
 * Layers whose files have readers. A merge changes the file of the lower layer, removes that of the upper one and writes a name
 * into those above it. The daemon does not refuse this beside a reader (a second opening with locks would stop it), so it is refused here.
 */
export class Pins {
  readonly #held = new Map<string, ReadonlySet<number>>();

  hold(key: string, layers: Iterable<number>): void {
    this.#held.set(key, new Set(layers));
  }

  has(key: string): boolean {
    return this.#held.has(key);
  }

  release(key: string): void {
    this.#held.delete(key);
  }

  /** Drops all other readers: their exports no longer exist. */
  keepOnly(keys: readonly string[]): void {
    for (const key of this.#held.keys()) if (!keys.includes(key)) this.#held.delete(key);
  }

  /** Whether this step of a purge has to wait for a reader. */
  holdOff(record: ReplicaRecord, step: PurgeStep): boolean {
    const touched =
      step.kind === 'drop'
        ? [step.layer]
        : [step.into, step.child, ...childrenOf(record, step.child).map(({ id }) => id)];
    return [...this.#held.values()].some((layers) => touched.some((id) => layers.has(id)));
  }
}

/** The layers that a reader of a snapshot needs unchanged: the layer itself, or also all layers below. */
export const readBy = (record: ReplicaRecord, layer: number, view: 'chain' | 'alone'): readonly number[] =>
  view === 'alone' ? [layer] : pathDown(record, layer).map(({ id }) => id);
