/** A difference at one place of two YAML documents. */
export interface Difference {
  /** `spec.versions[0].schema…`, the empty string for the document itself. */
  path: string;
  expected: unknown;
  found: unknown;
}

/** Means that one side has no value at a place; differs from null, which YAML can contain. */
export const absent = Symbol('absent');

/** Every place where `found` differs from `expected`, in the order of the documents. Lists are compared by index. */
export function differencesBetween(expected: unknown, found: unknown, path = ''): Difference[] {
  if (Array.isArray(expected) && Array.isArray(found)) {
    const length = Math.max(expected.length, found.length);
    return Array.from({ length }, (_, index) =>
      differencesBetween(
        index < expected.length ? expected[index] : absent,
        index < found.length ? found[index] : absent,
        `${path}[${index}]`,
      ),
    ).flat();
  }
  if (isMap(expected) && isMap(found)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(found)]);
    return [...keys].flatMap((key) =>
      differencesBetween(
        Object.hasOwn(expected, key) ? expected[key] : absent,
        Object.hasOwn(found, key) ? found[key] : absent,
        path === '' ? key : `${path}.${key}`,
      ),
    );
  }
  return Object.is(expected, found) ? [] : [{ path, expected, found }];
}

/** One line: `spec.scope: expected "Namespaced", found "Cluster"`. */
export function describeDifference({ path, expected, found }: Difference): string {
  return `${path === '' ? 'document' : path}: expected ${show(expected)}, found ${show(found)}`;
}

const shownCharactersMax = 120;

function show(value: unknown): string {
  if (value === absent) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
