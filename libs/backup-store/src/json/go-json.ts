const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/**
 * JSON as Go's encoder writes it: what HTML or JavaScript would read is escaped (package encoding/json, `Marshal`). Numbers that
 * `parseExact` kept as text stay so.
 */
export function goJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(
    /[<>&\u2028\u2029]/g,
    (character) => escapes[character] ?? character,
  );
}
