import type { Unstructured } from '@lateen/api-types';
import { describeError, isAppError } from '@lateen/errors';
import { isJsonObject, jsonPatch, mergePatch, strategicMergePatch } from '@lateen/kube';
import type { JsonMap, ModifierRule, ResourceModifiers } from '../resource-modifiers.ts';
import { meetsConditions } from './meets-conditions.ts';

export interface Modified {
  /** The same object when no rule is for it. */
  object: Unstructured;
  /** Of rules that could not be applied; the others were. */
  problems: readonly string[];
}

/**
 * Applies the rules that are for an object, in their order; what they are for is decided by the object as it comes. `object` is not changed.
 * @param groupResource `deployments.apps`
 */
export function applyResourceModifiers(
  { rules }: ResourceModifiers,
  object: Unstructured,
  groupResource: string,
): Modified {
  const problems: string[] = [];
  let result = object;
  for (const rule of rules) {
    try {
      if (meetsConditions(rule.conditions, object, groupResource)) result = applied(rule, result);
    } catch (error) {
      problems.push(describeError(error));
    }
  }
  return { object: result, problems };
}

function applied(rule: ModifierRule, object: Unstructured): Unstructured {
  if (rule.patches.length > 0) return jsonPatched(rule, object);
  const byMerge = rule.mergePatches.reduce<unknown>(mergePatch, object);
  if (rule.strategicPatches.length === 0) return stillAnObject(byMerge);
  if (!isBuiltIn(object))
    throw new Error(
      `strategic merge patches work for built-in kinds only, and ${object.apiVersion} ${object.kind} is not one`,
    );
  return stillAnObject(rule.strategicPatches.reduce<JsonMap>(strategicMergePatch, object));
}

/** A `test` that fails is a condition that is not met, no error. */
function jsonPatched({ patches }: ModifierRule, object: Unstructured): Unstructured {
  try {
    return stillAnObject(jsonPatch(object, patches));
  } catch (error) {
    if (isAppError(error, 'JSON_PATCH_TEST_FAILED')) return object;
    throw new Error(`error in applying JSON Patch ${describeError(error)}`, { cause: error });
  }
}

function stillAnObject(value: unknown): Unstructured {
  const isObject =
    isJsonObject(value) &&
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    isJsonObject(value.metadata) &&
    typeof value.metadata.name === 'string';
  if (!isObject) throw new Error('after the patches it would not be an object of Kubernetes');
  return value as Unstructured;
}

/** The API server merges lists by key only for kinds whose types it has. */
function isBuiltIn({ apiVersion }: Unstructured): boolean {
  const [, group = ''] = apiVersion.split('/').toReversed();
  return !group.includes('.') || group.endsWith('.k8s.io');
}
