import type { PackSlice } from './pack-reader.ts';

/** What is asked for with one request: all bytes from the first slice's to the last one's. */
export interface PlannedRange<Slice extends PackSlice> {
  packId: string;
  offset: number;
  length: number;
  slices: readonly Slice[];
}

export interface RangeLimits {
  /** A gap of up to this many unrequested bytes is fetched with the rest instead of with separate requests. */
  gapBytes: number;
  /** Of one range; a slice that is longer is a range of its own. */
  rangeBytesMax: number;
}

/**
 * The range that begins with `slices[from]`: slices that follow each other in the list and in their pack are read together,
 * also those that overlap. So a list that is sorted by pack and offset needs the fewest requests; any other is read in its
 * order too. Pure.
 */
export function nextRange<Slice extends PackSlice>(
  slices: readonly Slice[],
  from: number,
  { gapBytes, rangeBytesMax }: RangeLimits,
): PlannedRange<Slice> | undefined {
  const first = slices[from];
  if (first === undefined) return undefined;
  const { packId, offset } = first;
  let end = offset + first.length;
  let last = first;
  let to = from + 1;
  for (; to < slices.length; to++) {
    const next = slices[to] as Slice;
    const nextEnd = later(end, next.offset + next.length);
    const isNear = next.packId === packId && next.offset >= last.offset && next.offset - end <= gapBytes;
    if (!isNear || nextEnd - offset > rangeBytesMax) break;
    end = nextEnd;
    last = next;
  }
  return { packId, offset, length: end - offset, slices: slices.slice(from, to) };
}

/**
 * Not Math.max. About one restore of 300,000 files in ten saw the length of a planned range change after it was planned, to the sum of the
 * ranges in flight, and failed (Node 24.21): code that V8 had optimized shared one floating number between this object and a counter.
 * Math.max gives such numbers there, a comparison gives integers, which nothing shares. See `nodeFlag` in tools/image/src/apps.ts.
 */
const later = (one: number, other: number): number => (one > other ? one : other);

/** All ranges of a list, in its order; each slice is in exactly one. Pure. */
export function planRanges<Slice extends PackSlice>(
  slices: readonly Slice[],
  limits: RangeLimits,
): PlannedRange<Slice>[] {
  const ranges: PlannedRange<Slice>[] = [];
  for (let at = 0; ; ) {
    const range = nextRange(slices, at, limits);
    if (range === undefined) return ranges;
    ranges.push(range);
    at += range.slices.length;
  }
}

export interface PartLimits {
  slicesMax: number;
  bytesMax: number;
}

/** A range cut for those who work with it: its beginning can be worked on while its end is on the way. Pure. */
export function partsOf<Slice extends PackSlice>(
  { packId, slices }: Pick<PlannedRange<Slice>, 'packId' | 'slices'>,
  { slicesMax, bytesMax }: PartLimits,
): PlannedRange<Slice>[] {
  const parts: PlannedRange<Slice>[] = [];
  for (let from = 0; from < slices.length; ) {
    const offset = (slices[from] as Slice).offset;
    let [to, end] = [from, 0];
    for (; to < slices.length && to - from < slicesMax; to++) {
      const slice = slices[to] as Slice;
      const nextEnd = later(end, slice.offset + slice.length);
      if (to > from && nextEnd - offset > bytesMax) break;
      end = nextEnd;
    }
    parts.push({ packId, offset, length: end - offset, slices: slices.slice(from, to) });
    from = to;
  }
  return parts;
}
