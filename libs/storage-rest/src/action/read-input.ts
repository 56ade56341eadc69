import { refused } from '../errors/error-body.ts';
import { schemaOf } from '../schema/schemas.ts';

/** Arguments of an action by name; what was not sent is empty, 0 or false. */
export interface Input {
  text(name: string): string;
  number(name: string): number;
  flag(name: string): boolean;
  texts(name: string): readonly string[];
  map(name: string): Readonly<Record<string, string>>;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): boolean => typeof value === 'string';

const fits: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: isText,
  int: Number.isSafeInteger,
  bool: (value) => typeof value === 'boolean',
  'map[string]': (value) => isRecord(value) && Object.values(value).every(isText),
  'array[string]': (value) => Array.isArray(value) && value.every(isText),
};

/**
 * Reads a body, parsed from JSON, by the schema of this name: fields that the schema does not know are left alone, null counts as not sent.
 * @throws REST_REFUSED without a body, and for a value of a wrong type
 */
export function readInput(schemaId: string, body: unknown): Input {
  const fields = schemaOf(schemaId)?.fields ?? {};
  if (!isRecord(body)) throw refused(`cannot read ${schemaId}: the body is not a JSON object`);
  const sent = new Map(Object.entries(body).filter(([name, value]) => Object.hasOwn(fields, name) && value !== null));
  for (const [name, value] of sent) {
    const type = fields[name]?.type ?? '';
    if (fits[type]?.(value) !== true) throw refused(`cannot read ${schemaId}: ${name} is not of type ${type}`);
  }
  const reader =
    <T>(none: T) =>
    (name: string): T =>
      (sent.get(name) as T | undefined) ?? none;
  return { text: reader(''), number: reader(0), flag: reader(false), texts: reader([]), map: reader({}) };
}

/** Of an action that reads no body. */
export const noInput: Input = readInput('empty', {});
