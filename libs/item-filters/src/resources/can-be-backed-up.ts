import type { DiscoveredType } from '@lateen/kube';

const neededVerbs = ['list', 'create', 'get', 'delete'];

/** Whether objects of the type can be listed, and created by a restore. No backup contains other types. */
export const canBeBackedUp = ({ verbs, resource }: Pick<DiscoveredType, 'verbs' | 'resource'>): boolean =>
  !resource.includes('/') && neededVerbs.every((verb) => verbs.includes(verb));
