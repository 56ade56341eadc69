import { getValidName, type KubeObject, labels, type Restore } from '@lateen/api-types';

/** Whether this restore, or an earlier attempt of it, created the object; an object that it only changed is older. Pure. */
export function isMadeBy(restore: Restore, { metadata }: KubeObject): boolean {
  const isLabelled = metadata.labels?.[labels.restoreName] === getValidName(restore.metadata.name ?? '');
  const isOlder = Date.parse(metadata.creationTimestamp ?? '') < Date.parse(restore.metadata.creationTimestamp ?? '');
  return isLabelled && !isOlder;
}
