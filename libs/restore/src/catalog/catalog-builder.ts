import { type ItemArchive, type ItemPlace, type OpenedEntry, parseItemPath } from '@lateen/archive';
import { AppError } from '@lateen/errors';
import type { ItemIdentifier } from '@lateen/item-actions';
import type { Logger } from '@lateen/kernel';
import { parseExact } from '@lateen/kube';
import type { Catalog, CatalogItem } from '../engine/contract.ts';
import { ArchiveVersions } from './archive-versions.ts';
import { ItemFacts } from './item-facts.ts';
import { ItemIndex } from './item-index.ts';
import { storedObject } from './stored-object.ts';

/** Builds the catalog from the entries of an archive as they are read. Keeps no body. */
export class CatalogBuilder {
  readonly #log: Logger;
  readonly #facts = new ItemFacts();
  readonly #index = new ItemIndex();
  readonly #items: CatalogItem[] = [];
  /** The ids of bodies, by the number of the item. */
  readonly #ids: number[] = [];
  readonly #versions = new ArchiveVersions();

  constructor(log: Logger) {
    this.#log = log;
  }

  add({ path, body, id }: OpenedEntry): void {
    const place = parseItemPath(path);
    if (place === undefined) return;
    if (place.version !== undefined) this.#versions.add({ ...place, version: place.version }, id);
    else {
      const stored = storedObject(place, body, JSON.parse);
      if ('reason' in stored) this.#warn(place, stored.reason);
      else this.#keep(this.#facts.of(place, stored.object), id);
    }
  }

  /** Call it once, after the last entry. */
  catalog(archive: ItemArchive): Catalog {
    const find = (item: ItemIdentifier) => {
      const number = this.#index.get(placeNamed(item));
      return number === undefined ? undefined : this.#items[number];
    };
    this.#dropWhatIsNotThere(find);
    return {
      items: this.#items,
      find,
      versionsOf: (groupResource) => this.#versions.of(groupResource),
      read: async (item, signal, version) => {
        const place = placeOf(item);
        const id = this.#idOf(item, version);
        if (id === undefined) throw notThere(place, version);
        const stored = storedObject(place, await archive.read(id, signal), parseExact);
        if ('object' in stored) return stored.object;
        throw new AppError('CATALOG_ITEM_BROKEN', `${textOf(place)} in the backup is broken: ${stored.reason}`);
      },
      close: () => archive.close(),
    };
  }

  #keep(item: CatalogItem, id: number): void {
    const place = placeOf(item);
    this.#versions.addPreferred(item.groupResource, versionOf(item.apiVersion));
    // When a path occurs twice, the later entry counts, as in an extraction of the archive.
    const number = this.#index.get(place) ?? this.#items.length;
    this.#index.set(place, number);
    this.#items[number] = item;
    this.#ids[number] = id;
  }

  #idOf(item: CatalogItem, version: string | undefined): number | undefined {
    if (version !== undefined && version !== versionOf(item.apiVersion))
      return this.#versions.find(placeOf(item), version);
    const number = this.#index.get(placeOf(item));
    return number === undefined ? undefined : this.#ids[number];
  }

  /** Removes references to objects that the backup does not have. Lists that many objects share are processed once. */
  #dropWhatIsNotThere(find: Catalog['find']): void {
    const kept = new Map<CatalogItem['needs'], CatalogItem['needs']>();
    for (const [number, item] of this.#items.entries()) {
      if (item.needs.length === 0) continue;
      const needs = kept.get(item.needs) ?? item.needs.filter((need) => find(need) !== undefined);
      kept.set(item.needs, needs);
      if (needs.length < item.needs.length) this.#items[number] = { ...item, needs };
    }
  }

  #warn({ groupResource, namespace, name }: ItemPlace, reason: string): void {
    const where = namespace === undefined ? {} : { namespace };
    this.#log.warn({ resource: groupResource, ...where, name, reason }, 'Error decoding an object of the backup');
  }
}

const versionOf = (apiVersion: string): string => apiVersion.slice(apiVersion.indexOf('/') + 1);

const placeOf = ({ groupResource, namespace, name }: CatalogItem): ItemPlace => ({
  groupResource,
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

const placeNamed = ({ group, resource, namespace, name }: ItemIdentifier): ItemPlace => ({
  groupResource: group === '' ? resource : `${resource}.${group}`,
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

const textOf = ({ groupResource, namespace, name }: ItemPlace): string =>
  [groupResource, namespace, name].filter((part) => part !== undefined).join('/');

const notThere = (place: ItemPlace, version: string | undefined): AppError =>
  new AppError(
    'CATALOG_ITEM_MISSING',
    `${textOf(place)} is not in the backup${version === undefined ? '' : ` in version ${version}`}`,
  );
