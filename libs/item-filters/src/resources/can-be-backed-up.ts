import type { DiscoveredType } from '@lateen/kube';

const neededVerbs = ['list', 'create', 'get', 'delete'];

/** Whether objects of the type can be listed, and made again by a restore. Nothing else is in any backup. */
export const canBeBackedUp = ({ verbs, resource }: Pick<DiscoveredType, 'verbs' | 'resource'>): boolean =>
  !resource.includes('/') && neededVerbs.every((verb) => verbs.includes(verb));
