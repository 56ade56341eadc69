/** `JSON.parse` with source access, and `JSON.rawJSON` (ES2026; in Node since 21): not in the type library yet. */
interface JsonWithSource {
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(source: string): unknown;
}
const json = JSON as unknown as JsonWithSource;

/**
 * Numbers that `double` parsing could change: 16 digits or more, a fraction, an exponent, or minus zero. They look
 * only at number-like text after a JSON delimiter; text inside of strings may match too, which costs time but no
 * correctness.
 */
const delicateNumber = /(?:^|[:[,\s])-?(?:\d{16}|\d+[.eE])/;
const minusZero = /(?:^|[:[,\s])-0/;

/**
 * Parses JSON so that `JSON.stringify` yields every number as it was written: 9007199254740993 and 1.0 become
 * `JSON.rawJSON` values (test with `JSON.isRawJSON`), all other numbers stay numbers.
 * @throws SyntaxError
 */
export function parseExact(text: string): unknown {
  if (!holdsDelicateNumbers(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value,
  );
}

/** The inverse of {@link parseExact}; any parsed object is written back as it came, key order kept. */
export function stringify(value: unknown): string {
  return JSON.stringify(value);
}

function holdsDelicateNumbers(text: string): boolean {
  return delicateNumber.test(text) || minusZero.test(text);
}
