import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from './exact-json.ts';

/** The fields of one object that each field manager has applied; a list counts as one field. */
export class AppliedFields {
  readonly #byManager = new Map<string, Set<string>>();

  /** Fields that another manager applied with another value, such as `.data.a`, each with the name of the manager. */
  conflicts(manager: string, current: unknown, body: object): { field: string; manager: string }[] {
    const found: { field: string; manager: string }[] = [];
    for (const path of leaves(body)) {
      if (isDeepStrictEqual(valueAt(current, path), valueAt(body, path))) continue;
      for (const [other, fields] of this.#byManager) {
        if (other !== manager && fields.has(textOf(path))) found.push({ field: `.${path.join('.')}`, manager: other });
      }
    }
    return found;
  }

  /** Records the body as everything that the manager applies. Returns the fields that no manager applies any more. */
  record(manager: string, current: unknown, body: object): string[][] {
    const applied = new Set<string>();
    for (const path of leaves(body)) {
      applied.add(textOf(path));
      if (isDeepStrictEqual(valueAt(current, path), valueAt(body, path))) continue;
      for (const [other, fields] of this.#byManager) if (other !== manager) fields.delete(textOf(path));
    }
    const before = this.#byManager.get(manager) ?? new Set<string>();
    this.#byManager.set(manager, applied);
    const wanted = (field: string) => [...this.#byManager.values()].some((fields) => fields.has(field));
    return [...before].filter((field) => !wanted(field)).map((field) => JSON.parse(field) as string[]);
  }
}

/** Fields that every apply must contain; they have no owner. */
const unowned = new Set(['apiVersion', 'kind', 'metadata.name', 'metadata.namespace', 'metadata.resourceVersion']);

function* leaves(value: object, path: string[] = []): Generator<string[]> {
  for (const [field, inner] of Object.entries(value)) {
    const at = [...path, field];
    if (unowned.has(at.join('.'))) continue;
    if (isJsonObject(inner) && Object.keys(inner).length > 0) yield* leaves(inner, at);
    else yield at;
  }
}

const textOf = (path: readonly string[]): string => JSON.stringify(path);

function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, field) => (isJsonObject(value) ? value[field] : undefined), object);
}

/** Removes one field from an object, in place. */
export function dropField(object: unknown, path: readonly string[]): void {
  const parent = valueAt(object, path.slice(0, -1));
  const last = path.at(-1);
  if (isJsonObject(parent) && last !== undefined) delete parent[last];
}
