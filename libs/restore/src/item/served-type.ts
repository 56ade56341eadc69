import type { DiscoveredType } from '@lateen/kube';
import type { CatalogItem } from '../engine/contract.ts';
import type { ItemRun } from '../engine/item-run.ts';

export const definitionsResource = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' } as const;

/** The type under which an object is created. */
export interface ServedType {
  type: DiscoveredType;
  /** The version to read from the archive; absent: the only one in the archive. */
  archived?: string;
}

/** @returns the type, or a text that says why the cluster cannot accept objects of this kind */
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
