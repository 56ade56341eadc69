import { isJsonObject } from '@lateen/kube';

/** The smallest merge patch (RFC 7386) from `from` to `to`; undefined when they are equal. Empty and absent values count as equal. */
export function mergeDifference(from: unknown, to: unknown): Record<string, unknown> | undefined {
  const patch = differenceOf(isJsonObject(from) ? from : {}, isJsonObject(to) ? to : {});
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function differenceOf(from: Record<string, unknown>, to: Record<string, unknown>): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const field of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [before, after] = [from[field], to[field]];
    if (isSame(before, after)) continue;
    if (after === undefined) patch[field] = null;
    else patch[field] = isJsonObject(before) && isJsonObject(after) ? differenceOf(before, after) : after;
  }
  return patch;
}

/** Compares like the API server: key order and empty values do not count. Numbers are equal when they are written alike. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b || (isEmpty(a) && isEmpty(b))) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => isSame(item, b[index]))
    );
  }
  if (!isJsonObject(a) || !isJsonObject(b)) {
    // Numbers that a double cannot hold are objects that contain their text.
    return typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b);
  }
  for (const field in a) if (!isSame(a[field], b[field])) return false;
  for (const field in b) if (!(field in a) && !isEmpty(b[field])) return false;
  return true;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.keys(value).length === 0);

/** The fields in which two objects differ, for users: `spec.replicas`, `data.key`. Never values. */
export function differingFields(patch: Record<string, unknown>, before = ''): string[] {
  return Object.entries(patch).flatMap(([field, value]) =>
    isJsonObject(value) && Object.keys(value).length > 0
      ? differingFields(value, `${before}${field}.`)
      : [`${before}${field}`],
  );
}
