import type { DiscoveredType } from '@lateen/kube';
import type { CatalogItem } from '../engine/contract.ts';
import type { ItemRun } from '../engine/item-run.ts';

export const definitionsResource = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' } as const;

/** The type that an object is created as. */
export interface ServedType {
  type: DiscoveredType;
  /** The version of it to read from the archive; absent: the only one that the archive has. */
  archived?: string;
}

/** @returns a text when the cluster cannot take objects of this kind, saying why */
export function typeFor({ types, request: { catalog } }: ItemRun, item: CatalogItem): ServedType | string {
  const { groupResource } = item;
  const type = types.find(groupResource);
  const versions = catalog.versionsOf(groupResource);
  if (type === undefined) {
    const isInBackup = catalog.find({ ...definitionsResource, name: groupResource }) !== undefined;
    return isInBackup
      ? 'its CustomResourceDefinition is not there yet'
      : `the cluster does not serve ${groupResource}${versions.length === 0 ? '' : ` in version ${versions.join(', ')}`}`;
  }
  return versions.includes(type.version) ? { type, archived: type.version } : { type };
}
