import type { ItemIdentifier } from '@lateen/item-actions';
import type { ItemType } from '../items/item-type.ts';

const definitions = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' } as const;
export const definitionsResource = `${definitions.resource}.${definitions.group}`;

/** The CRDs of types with stored objects, as far as the types may be custom: the group of a custom type has a dot. */
export function definitionsOf(types: readonly ItemType[]): ItemIdentifier[] {
  const names = new Set(types.filter(({ type }) => type.group.includes('.')).map(({ groupResource }) => groupResource));
  return [...names].map((name) => ({ ...definitions, name }));
}
