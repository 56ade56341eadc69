import type { ItemIdentifier } from '@lateen/item-actions';
import type { CatalogItem } from '../engine/contract.ts';

const kinds: Readonly<Record<string, [apiVersion: string, kind: string]>> = {
  pods: ['v1', 'Pod'],
  'deployments.apps': ['apps/v1', 'Deployment'],
};

/** Builds an item from a text, `pods shop/db` or `storageclasses.storage.k8s.io fast`; `more` sets further fields. */
export function anItem(text: string, more: Partial<CatalogItem> = {}): CatalogItem {
  const [groupResource = '', place = ''] = text.split(' ');
  const [name = '', namespace] = place.split('/').reverse();
  const [resource = '', ...group] = groupResource.split('.');
  const [apiVersion, kind] = kinds[groupResource] ?? [group.length === 0 ? 'v1' : `${group.join('.')}/v1`, resource];
  return {
    groupResource,
    namespace,
    name,
    apiVersion,
    kind,
    uid: `uid of ${text}`,
    labels: undefined,
    annotations: undefined,
    isTerminating: false,
    owners: [],
    needs: [],
    ...more,
  };
}

/** Builds the identifier of an item, as an object of the archive or an action uses it. */
export function identifierOf(text: string): ItemIdentifier {
  const { groupResource, namespace, name } = anItem(text);
  const [resource = '', ...group] = groupResource.split('.');
  return { group: group.join('.'), resource, name, ...(namespace === undefined ? {} : { namespace }) };
}

export function finder(items: readonly CatalogItem[]): (named: ItemIdentifier) => CatalogItem | undefined {
  const byKey = new Map(items.map((item) => [keyOf(item), item]));
  return ({ group, resource, namespace, name }) =>
    byKey.get(keyOf({ groupResource: group === '' ? resource : `${resource}.${group}`, namespace, name }));
}

const keyOf = ({ groupResource, namespace, name }: Pick<CatalogItem, 'groupResource' | 'namespace' | 'name'>): string =>
  `${groupResource} ${namespace ?? ''}/${name}`;
