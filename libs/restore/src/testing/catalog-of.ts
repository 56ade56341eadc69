import type { KubeObject, Unstructured } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { ItemIdentifier } from '@lateen/item-actions';
import { ItemFacts } from '../catalog/item-facts.ts';
import type { Catalog, CatalogItem } from '../engine/contract.ts';

/** Irregular plurals of kinds that tests restore. */
const plurals: Readonly<Record<string, string>> = {
  Endpoints: 'endpoints',
  NetworkPolicy: 'networkpolicies',
  StorageClass: 'storageclasses',
  PriorityClass: 'priorityclasses',
};

/** A catalog of objects that a test defines, without an archive. */
export function catalogOf(objects: readonly KubeObject[]): Catalog {
  const facts = new ItemFacts();
  const stored = new Map<CatalogItem, Unstructured>();
  const byKey = new Map<string, CatalogItem>();
  for (const object of objects as readonly Unstructured[]) {
    const { metadata, apiVersion, kind } = object;
    const [, group = ''] = apiVersion.split('/').reverse();
    const resource = plurals[kind] ?? `${kind.toLowerCase()}s`;
    const groupResource = group === '' ? resource : `${resource}.${group}`;
    const { namespace, name = '' } = metadata;
    const item = facts.of({ groupResource, name, ...(namespace === undefined ? {} : { namespace }) }, object);
    stored.set(item, object);
    byKey.set(keyOf({ group, resource, name, ...(namespace === undefined ? {} : { namespace }) }), item);
  }
  const items = [...stored.keys()];
  return {
    items,
    find: (named) => byKey.get(keyOf(named)),
    versionsOf: (groupResource) => [
      ...new Set(
        items
          .filter((item) => item.groupResource === groupResource)
          .map(({ apiVersion }) => apiVersion.split('/').at(-1) ?? ''),
      ),
    ],
    read: async (item) => {
      const object = stored.get(item);
      if (object === undefined) throw new AppError('CATALOG_ITEM_MISSING', `${item.name} is not in the backup`);
      return structuredClone(object);
    },
    close: async () => {},
  };
}

const keyOf = ({ group, resource, namespace = '', name }: ItemIdentifier): string =>
  `${resource}.${group} ${namespace}/${name}`;
