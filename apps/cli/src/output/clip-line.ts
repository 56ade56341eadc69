/** A colour code, or one character as people count them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a colour code
const piece = /\u001b\[[0-9;]*m|./gsu;

/** The part of a line that fits into so many columns. Colour codes take none, and all of them are kept. */
export function clipLine(line: string, columns: number): string {
  let left = columns;
  return [...line.matchAll(piece)]
    .map(([text]) => text)
    .filter((text) => text.startsWith('\u001b[') || left-- > 0)
    .join('');
}
