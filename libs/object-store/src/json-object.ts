/**
 * The fields of a JSON object; undefined for what is none. What cannot be parsed is not told: a parser's words would repeat a
 * piece of the text, which may be secret.
 */
export function jsonObjectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
