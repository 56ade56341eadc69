import { AppError } from '@lateen/errors';
import { isJsonObject } from '@lateen/kube';

/** How a value of a Go struct is written and read (package encoding/json). */
export interface GoType {
  /** What stands where nothing was set. */
  readonly zero: unknown;
  /** What `omitempty` leaves out. */
  isEmpty(value: unknown): boolean;
  /** @throws BACKUP_FILE_BROKEN when it is of another type */
  read(value: unknown, path: string): unknown;
  write(value: unknown): unknown;
}

const asIs = (value: unknown): unknown => value;

export const text: GoType = {
  zero: '',
  isEmpty: (value) => value === '' || value === undefined,
  read: (value, path) => (typeof value === 'string' ? value : wrong(path, 'not a text')),
  write: asIs,
};

export const flag: GoType = {
  zero: false,
  isEmpty: (value) => value !== true,
  read: (value, path) => (typeof value === 'boolean' ? value : wrong(path, 'not true or false')),
  write: asIs,
};

export const integer: GoType = {
  zero: 0,
  isEmpty: (value) => value === 0 || value === undefined,
  read: (value, path) => {
    // A raw number is one that `parseExact` kept as text.
    const number = Number(value !== null && typeof value === 'object' ? JSON.stringify(value) : value);
    return typeof value === 'string' || typeof value === 'boolean' || Number.isNaN(number)
      ? wrong(path, 'not a number')
      : number;
  },
  write: asIs,
};

/** A pointer: null where there is none. */
export const pointerTo = (type: GoType): GoType => ({
  ...type,
  zero: null,
  isEmpty: (value) => value === null || value === undefined,
  write: (value) => (value === null || value === undefined ? null : type.write(value)),
});

/** null where it is empty: a slice that was never made. */
export const listOf = (type: GoType): GoType => ({
  zero: null,
  isEmpty: (value) => !Array.isArray(value) || value.length === 0,
  read: (value, path) =>
    Array.isArray(value)
      ? value.map((entry, index) => readOrZero(type, entry, `${path}[${index}]`))
      : wrong(path, 'not a list'),
  write: (value) => (Array.isArray(value) && value.length > 0 ? value.map((entry) => type.write(entry)) : null),
});

/** Sorted by key. null where there is none. */
export const mapOf = (type: GoType): GoType => ({
  zero: null,
  isEmpty: (value) => !isJsonObject(value) || Object.keys(value).length === 0,
  read: (value, path) =>
    isJsonObject(value)
      ? Object.fromEntries(
          Object.entries(value).map(([key, entry]) => [key, readOrZero(type, entry, `${path}.${key}`)]),
        )
      : wrong(path, 'not a map'),
  write: (value) => (isJsonObject(value) ? sortedMap(value, (entry) => type.write(entry)) : null),
});

export const readOrZero = (type: GoType, value: unknown, path: string): unknown =>
  value === null || value === undefined ? type.zero : type.read(value, path);

/** Go sorts the keys of maps by their bytes. */
function sortedMap(map: Record<string, unknown>, write: (value: unknown) => unknown): Record<string, unknown> {
  const sorted = Object.entries(map).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return Object.fromEntries(sorted.map(([key, value]) => [key, write(value)]));
}

/** @throws BACKUP_FILE_BROKEN */
export function wrong(path: string, what: string): never {
  throw new AppError('BACKUP_FILE_BROKEN', `${path} is ${what}`);
}
