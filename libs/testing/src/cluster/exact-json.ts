/** A number as its text in JSON; writing it gives the same text (ES2026 `JSON.rawJSON`). */
interface RawJson {
  readonly rawJSON: string;
}

interface JsonWithSource {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
}

const json = JSON as unknown as JsonWithSource;

/** Matches texts that may contain a number that a double changes; this test is much cheaper than a reviver. */
const mayHoldOddNumber = /\d{16}|\d\.\d|\d[eE]/;

/** Parses JSON and keeps the text of every number that a double would change. */
export function parseExactly(text: string): unknown {
  if (!mayHoldOddNumber.test(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value,
  );
}

/** A JSON object, as opposed to a list, a plain value, or a number kept as text. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !json.isRawJSON(value);
}
