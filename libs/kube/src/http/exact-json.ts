/** `JSON.parse` with source access, and `JSON.rawJSON` (ES2026; in Node since 21): not in the type library yet. */
interface JsonWithSource {
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(source: string): unknown;
  isRawJSON(value: unknown): boolean;
}
const json = JSON as unknown as JsonWithSource;

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

/** A map of JSON, as opposed to a list, a plain value, or a number kept as it was written. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !json.isRawJSON(value);
}

/**
 * The inverse of {@link parseExact}: any parsed object is written back with its numbers and its order of keys, and as Go's encoder writes
 * JSON (package encoding/json, `Marshal`), which escapes what HTML or JavaScript would read. The API server keeps some fields to the byte,
 * such as the data of a ControllerRevision: written otherwise, the next patch of it by a controller would count as a change and be refused.
 */
export function stringify(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent);
  return mayNeedEscape.test(text) ? text.replace(toEscape, (character) => escapes[character] ?? character) : text;
}

const mayNeedEscape = /[<>&\u2028\u2029]/;
const toEscape = new RegExp(mayNeedEscape, 'g');
const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/**
 * Whether there is a number that `double` parsing could change: 16 digits or more, a fraction, an exponent, or minus zero. Parsing with
 * source is four times as slow, so addresses, versions and times inside of strings must not bring it about.
 */
function holdsDelicateNumbers(text: string): boolean {
  let at = 0;
  for (;;) {
    const open = text.indexOf('"', at);
    if (isDelicateBetween(text, at, open < 0 ? text.length : open)) return true;
    if (open < 0) return false;
    at = closingQuote(text, open) + 1;
  }
}

/** The quote that ends the string that begins at `open`; in broken JSON the end of the text. */
function closingQuote(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let before = close - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((close - before) % 2 === 1) return close;
  }
  return text.length;
}

const backslash = 0x5c;
const dot = 0x2e;
const minus = 0x2d;
const [zero, nine] = [0x30, 0x39];
const [upperE, lowerE] = [0x45, 0x65];
/** 9007199254740991 has 16 digits. */
const plainDigitsMax = 15;

/** What stands between two strings: delimiters, numbers and words. */
function isDelicateBetween(text: string, from: number, to: number): boolean {
  let digits = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code >= zero && code <= nine) {
      if (++digits > plainDigitsMax || (digits === 1 && code === zero && text.charCodeAt(at - 1) === minus))
        return true;
    } else if (digits > 0 && (code === dot || code === lowerE || code === upperE)) return true;
    else digits = 0;
  }
  return false;
}
