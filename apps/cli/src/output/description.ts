import { plainLine } from '@lateen/errors';

/** The text for a missing value, as Velero prints it. */
export const none = '<none>';

/** A value, or `<none>`. Text from outside is printed as one line without control characters. */
export const orNone = (value: string | null | undefined): string => plainLine(value ?? '') || none;

/** Names separated by commas, or the text for an empty list. */
export const listText = (names: readonly string[] | null | undefined, empty = none): string =>
  plainLine((names ?? []).join(', ')) || empty;

/** Lines of `Key:  value`, with aligned values. */
export function fields(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([key]) => key.length)) + 1;
  return rows.map(([key, value]) => `${`${key}:`.padEnd(width)}  ${value}`.trimEnd());
}

export const indented = (lines: readonly string[], by = 2): string[] =>
  lines.map((line) => (line === '' ? '' : `${' '.repeat(by)}${line}`));

/** A heading with lines below it, or `Heading:  <none>` when there are none. */
export function section(heading: string, lines: readonly string[], empty = none): string[] {
  return lines.length === 0 ? [`${heading}:  ${empty}`] : [`${heading}:`, ...indented(lines)];
}

/** Pairs of `key=value`, one per line, aligned below the first, as Velero prints labels. */
export function pairLines(pairs: Readonly<Record<string, string>> | null | undefined): string[] {
  const lines = Object.entries(pairs ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => plainLine(`${key}=${value}`));
  return lines.length === 0 ? [none] : lines;
}

/** Blocks with an empty line between them; empty ones are left out. Ends with a line break. */
export const page = (blocks: readonly (readonly string[])[]): string =>
  `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
