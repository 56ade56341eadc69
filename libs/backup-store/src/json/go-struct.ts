import { isJsonObject } from '@lateen/kube';
import { type GoType, readOrZero, wrong } from './go-type.ts';

interface Field {
  type: GoType;
  /** Left out where it is empty. */
  omitted: boolean;
}

export const always = (type: GoType): Field => ({ type, omitted: false });
export const unlessEmpty = (type: GoType): Field => ({ type, omitted: true });

/**
 * A struct with these fields, written in this order. Reading takes keys in any case, as Go does, and keeps those it does not know: they
 * are written behind the others, so that what a newer version stored survives.
 */
export function struct(fields: Readonly<Record<string, Field>>): GoType {
  const names = Object.keys(fields);
  const byLowerCase = new Map(names.map((name) => [name.toLowerCase(), name]));
  const canonical = (key: string): string =>
    Object.hasOwn(fields, key) ? key : (byLowerCase.get(key.toLowerCase()) ?? key);
  const readField = (key: string, value: unknown, path: string): unknown => {
    // Keys are foreign: "constructor" is one too.
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    return field === undefined ? value : readOrZero(field.type, value, `${path}.${key}`);
  };
  const read = (value: unknown, path: string): unknown => {
    if (!isJsonObject(value)) return wrong(path, 'not an object');
    const given = Object.entries(value).map(([key, entry]) => [canonical(key), entry] as const);
    const found = new Map(given.map(([key, entry]) => [key, readField(key, entry, path)]));
    for (const [name, field] of Object.entries(fields)) {
      if (field.omitted && field.type.isEmpty(found.get(name))) found.delete(name);
      else if (!found.has(name)) found.set(name, readOrZero(field.type, undefined, path));
    }
    return Object.fromEntries(found);
  };
  const write = (value: unknown): unknown => {
    const given = isJsonObject(value) ? value : {};
    const known = Object.entries(fields)
      .filter(([name, field]) => !(field.omitted && field.type.isEmpty(given[name])))
      .map(([name, { type }]) => [name, type.write(given[name] ?? type.zero)]);
    const others = Object.entries(given).filter(([name, entry]) => !Object.hasOwn(fields, name) && entry !== undefined);
    return Object.fromEntries([...known, ...others]);
  };
  // A struct is never empty, and where none was given it has the zeros of its fields.
  return {
    read,
    write,
    isEmpty: (value) => value === undefined,
    get zero() {
      return read({}, '');
    },
  };
}
