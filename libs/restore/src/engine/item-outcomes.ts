import type { RestoreItemAct, RestoreItemOutcome } from '@lateen/backup-store';
import type { Clock } from '@lateen/kernel';
import type { CatalogItem, RestoreItemProgress } from './contract.ts';

const progressMs = 1_000;

/** Outcomes after which the object is in the cluster. */
const inCluster: ReadonlySet<RestoreItemAct> = new Set(['create', 'update', 'unchanged', 'conflict', 'immutable']);

/** The outcomes of a restore's objects, in the order in which they ended, and the progress of the restore. */
export class ItemOutcomes implements Iterable<RestoreItemOutcome> {
  readonly #outcomes = new Map<CatalogItem, RestoreItemOutcome | 'created'>();
  /** Outcomes of namespaces that the restore created: they are not restored as objects. */
  readonly #namespaces: RestoreItemOutcome[] = [];
  readonly #clock: Clock;
  readonly #onProgress: (progress: RestoreItemProgress) => void;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #expected = 0;

  constructor(clock: Clock, onProgress: (progress: RestoreItemProgress) => void) {
    this.#clock = clock;
    this.#onProgress = onProgress;
  }

  /** Call it when more objects are known that will be restored. */
  expect(items: number): void {
    this.#expected += items;
  }

  get progress(): RestoreItemProgress {
    const itemsRestored = this.#outcomes.size + this.#namespaces.length;
    return { totalItems: Math.max(this.#expected + this.#namespaces.length, itemsRestored), itemsRestored };
  }

  ended(item: CatalogItem, outcome: RestoreItemOutcome): void {
    // Nearly all outcomes have only facts that the item has already; only the others are stored, which saves memory.
    this.#outcomes.set(item, isPlain(item, outcome) ? 'created' : outcome);
    this.#tell();
  }

  namespaceEnded(outcome: RestoreItemOutcome): void {
    this.#namespaces.push(outcome);
    this.#tell();
  }

  has(item: CatalogItem): boolean {
    return this.#outcomes.has(item);
  }

  /** Whether the object is in the cluster, equal to the backup or not. */
  isThere(item: CatalogItem): boolean {
    const outcome = this.#outcomes.get(item);
    return outcome !== undefined && (outcome === 'created' || inCluster.has(outcome.act));
  }

  /** Whether the object existed already and the restore has not written it. */
  isUntouched(item: CatalogItem): boolean {
    const outcome = this.#outcomes.get(item);
    return outcome !== undefined && outcome !== 'created' && outcome.act !== 'create' && outcome.act !== 'update';
  }

  *[Symbol.iterator](): Generator<RestoreItemOutcome> {
    yield* this.#namespaces;
    for (const [item, outcome] of this.#outcomes) yield outcome === 'created' ? plain(item) : outcome;
  }

  #tell(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#toldAtMs < progressMs) return;
    this.#toldAtMs = nowMs;
    this.#onProgress(this.progress);
  }
}

/** Whether the object was created as it is in the backup, in the same place. */
function isPlain(item: CatalogItem, { act, reason, by, volumeBytes, ...rest }: RestoreItemOutcome): boolean {
  if (act !== 'create' || reason !== undefined || by !== undefined || volumeBytes !== undefined) return false;
  const { apiVersion, kind, namespace, name, sourceNamespace, sourceName } = rest;
  const isSamePlace = sourceNamespace === undefined && sourceName === undefined && namespace === item.namespace;
  return isSamePlace && name === item.name && apiVersion === item.apiVersion && kind === item.kind;
}

const plain = ({ apiVersion, kind, namespace, name }: CatalogItem): RestoreItemOutcome => ({
  apiVersion,
  kind,
  ...(namespace === undefined ? {} : { namespace }),
  name,
  act: 'create',
});
