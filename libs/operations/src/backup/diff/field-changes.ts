import { isJsonObject } from '@lateen/kube';
import { canonicalText } from './comparable-object.ts';
import type { FieldChange } from './field-change.ts';
import { listChanges } from './list-changes.ts';

/** The differences between two values, compared as deeply as both have the same shape, in the order of the new one. */
export function fieldChanges(before: unknown, after: unknown, path: FieldChange['path'] = []): FieldChange[] {
  if (canonicalText(before) === canonicalText(after)) return [];
  if (isJsonObject(before) && isJsonObject(after)) return mapChanges(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) return listChanges(before, after, path, fieldChanges);
  return [{ path, before, after }];
}

function mapChanges(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  path: FieldChange['path'],
): FieldChange[] {
  const has = (map: object, key: string) => Object.hasOwn(map, key);
  const removed = Object.keys(before)
    .filter((key) => !has(after, key))
    .map((key): FieldChange => ({ path: [...path, key], before: before[key] }));
  const others = Object.keys(after).flatMap((key): FieldChange[] =>
    has(before, key)
      ? fieldChanges(before[key], after[key], [...path, key])
      : [{ path: [...path, key], after: after[key] }],
  );
  return [...removed, ...others];
}
