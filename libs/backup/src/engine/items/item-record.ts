import type { ItemOutcome } from '@lateen/backup-store';
import type { Clock } from '@lateen/kernel';
import type { ItemProgress } from '../contract.ts';
import { CompactLines } from './compact-lines.ts';
import type { ItemType } from './item-type.ts';

/** Names one object in the record; the namespace is absent when the object is cluster-scoped. */
export interface RecordedItem {
  readonly type: ItemType;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Any outcome except BackedUp, with the reason. */
export interface ItemProblem {
  outcome: 'Warning' | 'Failed' | 'Skipped';
  reason: string;
  /** The action, hook or filter that reported it. */
  by?: string;
}

/** The value of `by` for objects that the filters of the backup leave out. */
export const filtersName = 'filters';

const progressMs = 1_000;

export const placeText = ({ namespace, name }: Pick<RecordedItem, 'namespace' | 'name'>): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/**
 * The outcomes of a backup's objects: the names of stored objects, by type and compressed; the reasons why others are not stored; the
 * namespaces that have stored objects; the progress of the backup. Grows by a few bytes for each object.
 */
export class ItemRecord {
  readonly #names = new Map<string, { type: ItemType; lines: CompactLines }>();
  readonly #problems = new CompactLines();
  /** Objects that an action or a hook left out or reported on. Objects left out by filters may be nearly all, so they are not kept here. */
  readonly #withProblem = new Set<string>();
  readonly #namespaces = new Set<string>();
  readonly #clock: Clock;
  readonly #onProgress: (progress: ItemProgress) => void;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #total = 0;
  #backedUp = 0;

  constructor(clock: Clock, onProgress: (progress: ItemProgress) => void) {
    this.#clock = clock;
    this.#onProgress = onProgress;
  }

  get itemsBackedUp(): number {
    return this.#backedUp;
  }

  /** Types of which at least one object is stored. */
  get types(): readonly ItemType[] {
    return [...this.#names.values()].map(({ type }) => type);
  }

  /** Call it when more objects are known that will be backed up. */
  expect(items: number): void {
    this.#total += items;
  }

  /** Call it when the object is in the archive. */
  stored(item: RecordedItem): void {
    this.#listed(item);
    this.#backedUp++;
    if (item.namespace !== undefined) this.#namespaces.add(item.namespace);
    this.#tell();
  }

  /** Counts and lists an object that is not in the archive: Velero does so for pods whose hook has failed. */
  countedOnly(item: RecordedItem, problem: ItemProblem): void {
    this.#listed(item);
    this.#backedUp++;
    this.noted(item, problem);
  }

  noted(item: RecordedItem, { outcome, reason, by }: ItemProblem): void {
    const { apiVersion, kind } = versionAndKind(item.type);
    const { namespace, name } = item;
    if (by !== filtersName) this.#withProblem.add(`${item.type.gvk} ${placeText(item)}`);
    const line: ItemOutcome = {
      apiVersion,
      kind,
      ...(namespace === undefined ? {} : { namespace }),
      name,
      outcome,
      reason,
      ...(by === undefined ? {} : { by }),
    };
    this.#problems.add(JSON.stringify(line));
  }

  /** Whether an action or a hook has reported a problem of the object. */
  hasProblem(item: RecordedItem): boolean {
    return this.#withProblem.has(`${item.type.gvk} ${placeText(item)}`);
  }

  /** Whether an object of the namespace is stored. */
  hasItemsIn(namespace: string): boolean {
    return this.#namespaces.has(namespace);
  }

  /** Which of the given places (`namespace/name`) are stored. */
  storedOf(type: ItemType, places: ReadonlySet<string>): Set<string> {
    const found = new Set<string>();
    for (const line of this.#names.get(type.gvk)?.lines.sorted() ?? []) if (places.has(line)) found.add(line);
    return found;
  }

  /** The stored objects by type, each with sorted places. */
  *resourceList(): Generator<[gvk: string, places: Iterable<string>]> {
    for (const [gvk, { lines }] of [...this.#names].sort(([a], [b]) => (a < b ? -1 : 1))) yield [gvk, lines.sorted()];
  }

  /** The outcome of each object that the backup has met, each once. */
  *outcomes(): Generator<string> {
    let last = '';
    // A list and an action may both have met an object that filters leave out.
    for (const line of this.#problems.sorted()) {
      if (line !== last) yield line;
      last = line;
    }
    for (const [gvk, { type, lines }] of this.#names) {
      const { apiVersion, kind } = versionAndKind(type);
      const start = `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},`;
      for (const place of lines.sorted()) {
        if (this.#withProblem.has(`${gvk} ${place}`)) continue;
        const [name = '', namespace] = place.split('/').toReversed();
        const where = namespace === undefined ? '' : `"namespace":${JSON.stringify(namespace)},`;
        yield `${start}${where}"name":${JSON.stringify(name)},"outcome":"BackedUp"}`;
      }
    }
  }

  /** The current progress. */
  progress(): ItemProgress {
    return { totalItems: Math.max(this.#total, this.#backedUp), itemsBackedUp: this.#backedUp };
  }

  #listed(item: RecordedItem): void {
    const { gvk } = item.type;
    let known = this.#names.get(gvk);
    if (known === undefined) {
      known = { type: item.type, lines: new CompactLines() };
      this.#names.set(gvk, known);
    }
    known.lines.add(placeText(item));
  }

  #tell(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#toldAtMs < progressMs) return;
    this.#toldAtMs = nowMs;
    this.#onProgress(this.progress());
  }
}

function versionAndKind({ gvk }: ItemType): { apiVersion: string; kind: string } {
  const slash = gvk.lastIndexOf('/');
  return { apiVersion: gvk.slice(0, slash), kind: gvk.slice(slash + 1) };
}
