import type { Unstructured } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { nameFilter } from '@lateen/item-filters';
import { jsonPatch, matchesSelector } from '@lateen/kube';
import type { ModifierConditions } from '../resource-modifiers.ts';
import { resourceGlob } from './resource-glob.ts';

/** Whether an object, in the namespace of the backup, is one that a rule is for. */
export function meetsConditions(
  { groupResource, namespaces, resourceNameRegex, labelSelector, matches }: ModifierConditions,
  object: Unstructured,
  itsGroupResource: string,
): boolean {
  const { namespace, name = '', labels } = object.metadata;
  return (
    (namespace === undefined || nameFilter({ included: namespaces }).matches(namespace)) &&
    resourceGlob(groupResource).test(itsGroupResource) &&
    (resourceNameRegex === undefined || resourceNameRegex.test(name)) &&
    (labelSelector === undefined || matchesSelector(labelSelector, labels)) &&
    matches.every(({ path, value }) => hasValue(object, path, value))
  );
}

/** What is not there does not match. */
function hasValue(object: Unstructured, path: string, value: unknown): boolean {
  try {
    jsonPatch(object, [{ op: 'test', path, value }]);
    return true;
  } catch (error) {
    if (isAppError(error, 'JSON_PATCH_TEST_FAILED')) return false;
    throw error;
  }
}
