import type { Unstructured } from '@lateen/api-types';
import type { ItemPlace } from '@lateen/archive';
import type { ItemIdentifier } from '@lateen/item-actions';
import type { CatalogItem } from '../engine/contract.ts';
import { needsOf } from './needs-of.ts';
import { SharedValues } from './shared-values.ts';

type Owner = CatalogItem['owners'][number];

/** Annotations that decide on the order and the way of a restore; others may take kilobytes. */
const isOurs = (annotation: string): boolean => /(?:^|\.)(?:velero\.io|lateen\.dev)\//.test(annotation);

const none: readonly never[] = [];

/** Creates the facts that a catalog keeps of objects; equal parts share one value. */
export class ItemFacts {
  readonly #texts = new SharedValues<string>();
  readonly #labels = new SharedValues<Readonly<Record<string, string>>>();
  readonly #owners = new SharedValues<readonly Owner[]>();
  readonly #needs = new SharedValues<readonly ItemIdentifier[]>();

  /** Strings are taken from the object, because substrings of a path would keep the whole path in memory. */
  of(place: ItemPlace, object: Unstructured): CatalogItem {
    const { metadata, apiVersion, kind } = object;
    const { name = place.name, namespace, uid, deletionTimestamp } = metadata;
    return {
      groupResource: this.#text(place.groupResource),
      namespace: place.namespace === undefined ? undefined : this.#text(namespace ?? place.namespace),
      name,
      apiVersion: this.#text(apiVersion ?? ''),
      kind: this.#text(kind ?? ''),
      uid: typeof uid === 'string' ? uid : undefined,
      labels: this.#record(metadata.labels, () => true),
      annotations: this.#record(metadata.annotations, isOurs),
      isTerminating: deletionTimestamp !== undefined && deletionTimestamp !== null,
      owners: this.#ownersOf(metadata.ownerReferences),
      needs: this.#shared(this.#needs, needsOf(place.groupResource, object)),
    };
  }

  #text(text: string): string {
    return this.#texts.get(text, () => text);
  }

  #record(given: unknown, isKept: (key: string) => boolean): Readonly<Record<string, string>> | undefined {
    if (typeof given !== 'object' || given === null) return undefined;
    const kept = Object.entries(given).filter(([key, value]) => typeof value === 'string' && isKept(key));
    if (kept.length === 0) return undefined;
    return this.#labels.get(JSON.stringify(kept), () => Object.fromEntries(kept) as Record<string, string>);
  }

  #ownersOf(given: unknown): readonly Owner[] {
    if (!Array.isArray(given)) return none;
    const owners = given.flatMap((one: unknown): Owner[] => {
      const { uid, apiVersion, kind, name, controller } = (one ?? {}) as Partial<Record<string, unknown>>;
      if (typeof uid !== 'string' || typeof apiVersion !== 'string') return [];
      if (typeof kind !== 'string' || typeof name !== 'string') return [];
      return [{ uid, apiVersion, kind, name, controller: controller === true }];
    });
    return this.#shared(this.#owners, owners);
  }

  #shared<T>(values: SharedValues<readonly T[]>, list: readonly T[]): readonly T[] {
    return list.length === 0 ? none : values.get(JSON.stringify(list), () => list);
  }
}
