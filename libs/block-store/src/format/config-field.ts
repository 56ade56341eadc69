/** Reads fields of the format's JSON in the form of each writer. Errors are thrown as {@link FieldError}. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
}

export type Fields = Readonly<Record<string, unknown>>;

export function textField(fields: Fields, name: string, absent = ''): string {
  const value = fields[name] ?? absent;
  if (typeof value === 'string') return value;
  throw new FieldError(`its field ${name} is not a string`);
}

/** A number in a string; a plain number is accepted as well. */
export function numberField(fields: Fields, name: string): bigint {
  const value = fields[name] ?? '0';
  if (typeof value === 'string' && /^\d{1,19}$/.test(value)) return BigInt(value);
  if (Number.isSafeInteger(value) && Number(value) >= 0) return BigInt(value as number);
  throw new FieldError(`its field ${name} is not a number`);
}

/** JSON text inside a string. Text that was written without quotes is taken as it is, because it cannot mean anything else. */
export function quotedField(fields: Fields, name: string, absent = ''): string {
  if (fields[name] === undefined) return absent;
  const text = textField(fields, name);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return value;
  } catch {
    // Not quoted.
  }
  return text;
}

export function flagField(fields: Fields, name: string): boolean {
  const value = fields[name] ?? false;
  if (typeof value === 'boolean') return value;
  throw new FieldError(`its field ${name} is neither true nor false`);
}

export type TextMap = Readonly<Record<string, string>>;

export function mapField(fields: Fields, name: string): TextMap | null {
  const value = fields[name] ?? null;
  if (value === null) return null;
  const isMap = typeof value === 'object' && !Array.isArray(value);
  if (isMap && Object.values(value).every((each) => typeof each === 'string')) return value as TextMap;
  throw new FieldError(`its field ${name} is not a map of strings`);
}

/** Fields that this version does not know, in the order in which they were read: they are written again unchanged. */
export const otherFields = (fields: Fields, known: ReadonlySet<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !known.has(name)));

export function jsonFields(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FieldError('it is not complete JSON');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new FieldError('it is not a JSON object');
}
