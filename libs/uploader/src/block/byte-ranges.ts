/** Bytes from `start` up to but not including `end`. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Sorts ranges and joins those with a gap of less than `gapBytes`; drops empty ones. */
export function joinRanges(ranges: readonly ByteRange[], gapBytes = 1): ByteRange[] {
  const joined: ByteRange[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    if (end <= start) continue;
    const last = joined.at(-1);
    if (last !== undefined && start - last.end < gapBytes) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}

export const lengthOf = (ranges: readonly ByteRange[]): number =>
  ranges.reduce((sum, { start, end }) => sum + end - start, 0);

/** What lies in both lists, which are joined. */
export function overlapOf(some: readonly ByteRange[], others: readonly ByteRange[]): ByteRange[] {
  const both: ByteRange[] = [];
  let at = 0;
  for (const { start, end } of some) {
    while ((others[at]?.end ?? Number.POSITIVE_INFINITY) <= start) at++;
    for (let next = at; (others[next]?.start ?? Number.POSITIVE_INFINITY) < end; next++) {
      const other = others[next] ?? { start, end };
      both.push({ start: Math.max(start, other.start), end: Math.min(end, other.end) });
    }
  }
  return both;
}

/** The parts of [0, end) that lie in none of the (joined) ranges. */
export function gapsOf(ranges: readonly ByteRange[], end: number): ByteRange[] {
  const gaps: ByteRange[] = [];
  let at = 0;
  for (const range of ranges) {
    if (range.start > at) gaps.push({ start: at, end: range.start });
    at = Math.max(at, range.end);
  }
  if (at < end) gaps.push({ start: at, end });
  return gaps;
}
