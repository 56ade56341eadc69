export interface DiffLine {
  sign: '-' | '+' | ' ';
  text: string;
}

/** How many lines of each text are compared; if there are more, all count as replaced. */
const comparedMax = 1_000;

/** How many unchanged lines are shown around a change. */
const contextLines = 2;

/** The lines that differ between two texts, with two unchanged lines around. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const middle = changedLines(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const around = (lines: readonly string[]) => lines.map((text): DiffLine => ({ sign: ' ', text }));
  const tail = now.slice(now.length - end).slice(0, contextLines);
  return [...around(now.slice(Math.max(0, start - contextLines), start)), ...middle, ...around(tail)];
}

function changedLines(old: readonly string[], now: readonly string[]): DiffLine[] {
  const replaced = (): DiffLine[] => [
    ...old.map((text): DiffLine => ({ sign: '-', text })),
    ...now.map((text): DiffLine => ({ sign: '+', text })),
  ];
  if (old.length > comparedMax || now.length > comparedMax) return replaced();
  // longest[a][b]: the length of the longest common subsequence of the remaining lines.
  const longest = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  const at = (a: number, b: number) => longest[a]?.[b] ?? 0;
  for (let a = old.length - 1; a >= 0; a--)
    for (let b = now.length - 1; b >= 0; b--) {
      const row = longest[a];
      if (row !== undefined) row[b] = old[a] === now[b] ? at(a + 1, b + 1) + 1 : Math.max(at(a + 1, b), at(a, b + 1));
    }
  const lines: DiffLine[] = [];
  let [a, b] = [0, 0];
  while (a < old.length || b < now.length) {
    if (a < old.length && b < now.length && old[a] === now[b]) {
      lines.push({ sign: ' ', text: now[b] ?? '' });
      a++;
      b++;
    } else if (b >= now.length || (a < old.length && at(a + 1, b) >= at(a, b + 1))) {
      lines.push({ sign: '-', text: old[a++] ?? '' });
    } else lines.push({ sign: '+', text: now[b++] ?? '' });
  }
  return lines;
}
