import { isJsonObject } from '@lateen/kube';

/**
 * `after`, in which every part that is equal in `before` has its form from there: numbers as they were written, keys in their order. `before` itself
 * when nothing has changed. Both are as `parseExact` returns them; neither is changed.
 */
export function keepUnchanged(before: unknown, after: unknown): unknown {
  if (before === after || sameNumber(before, after)) return before;
  if (Array.isArray(before) && Array.isArray(after)) {
    const kept = after.map((element, index) => keepUnchanged(before[index], element));
    return kept.length === before.length && kept.every((element, index) => element === before[index]) ? before : kept;
  }
  if (!isJsonObject(before) || !isJsonObject(after)) return after;
  const names = [
    ...Object.keys(before).filter((name) => Object.hasOwn(after, name)),
    ...Object.keys(after).filter((name) => !Object.hasOwn(before, name)),
  ];
  const kept = names.map((name) => [name, keepUnchanged(own(before, name), after[name])] as const);
  const same =
    names.length === Object.keys(before).length && kept.every(([name, value]) => value === own(before, name));
  return same ? before : Object.fromEntries(kept);
}

const own = (of: Record<string, unknown>, name: string): unknown => (Object.hasOwn(of, name) ? of[name] : undefined);

/** 1.0 and 1 are the same; two long numbers that are equal only as doubles are not. */
function sameNumber(a: unknown, b: unknown): boolean {
  const [one, other] = [numberText(a), numberText(b)];
  if (one === undefined || other === undefined) return false;
  return one === other || (Number(one) === Number(other) && Math.abs(Number(one)) <= Number.MAX_SAFE_INTEGER);
}

/** The text of a number; numbers that keep their written form are objects. */
function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  const isRaw = typeof value === 'object' && value !== null && !Array.isArray(value) && !isJsonObject(value);
  return isRaw ? JSON.stringify(value) : undefined;
}
