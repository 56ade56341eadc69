/** A number as the text it had in JSON; writing it yields the same text (ES2026 `JSON.rawJSON`). */
interface RawJson {
  readonly rawJSON: string;
}

interface JsonWithSource {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
}

const json = JSON as unknown as JsonWithSource;

/** Only such text can hold a number that a double changes; looking is much cheaper than reviving. */
const mayHoldOddNumber = /\d{16}|\d\.\d|\d[eE]/;

/** Parses and keeps the text of every number that would not come back the same from a double. */
export function parseExactly(text: string): unknown {
  if (!mayHoldOddNumber.test(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value,
  );
}

/** A map of JSON, as opposed to a list, a plain value, or a number kept as text. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !json.isRawJSON(value);
}
