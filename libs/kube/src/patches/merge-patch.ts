import { isJsonObject } from '../http/exact-json.ts';

/** RFC 7386. Neither argument is changed. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const result = new Map(Object.entries(isJsonObject(target) ? target : {}));
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) result.delete(field);
    else result.set(field, mergePatch(result.get(field), value));
  }
  return Object.fromEntries(result);
}
