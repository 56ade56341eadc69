/** A part of a change: bytes, or zeros of a length. */
export type Piece =
  | { readonly at: number; readonly data: readonly Uint8Array[] }
  | { readonly at: number; readonly zeros: number };

export interface Area {
  readonly start: number;
  readonly end: number;
}

/** The whole units that the area touches, limited to the volume's size. */
export function wholeUnits({ start, end }: Area, unit: number, size: number): Area {
  return { start: start - (start % unit), end: Math.min(Math.ceil(end / unit) * unit, size) };
}

/**
 * The change of `area`, filled up to `whole` with the present data: a replica without the layers below its head would read the rest of a unit as
 * zeros. `read` is called under the lock of `whole`, and at most twice.
 */
export async function widened(
  change: Piece,
  area: Area,
  whole: Area,
  read: (at: number, length: number) => Promise<readonly Uint8Array[]>,
  unit: number,
): Promise<Piece[]> {
  const [before, after] = await Promise.all([
    area.start > whole.start ? read(whole.start, area.start - whole.start) : [],
    whole.end > area.end ? read(area.end, whole.end - area.end) : [],
  ]);
  if ('data' in change) return [{ at: whole.start, data: [...before, ...change.data, ...after] }];
  return zerosBetween(area, whole, before, after, unit);
}

/** Whole units stay zeros, so that they take no space; the filled-up parts become a write. */
function zerosBetween(
  area: Area,
  whole: Area,
  before: readonly Uint8Array[],
  after: readonly Uint8Array[],
  unit: number,
): Piece[] {
  const firstWhole = before.length > 0 ? Math.min(whole.start + unit, whole.end) : whole.start;
  const lastWhole = after.length > 0 ? whole.end - ((whole.end - whole.start) % unit || unit) : whole.end;
  if (firstWhole > lastWhole) return [{ at: whole.start, data: [...before, zeros(area.end - area.start), ...after] }];
  const pieces: Piece[] = [];
  if (firstWhole > whole.start)
    pieces.push({ at: whole.start, data: [...before, zeros(Math.min(firstWhole, area.end) - area.start)] });
  if (lastWhole > firstWhole) pieces.push({ at: firstWhole, zeros: lastWhole - firstWhole });
  if (whole.end > lastWhole)
    pieces.push({ at: lastWhole, data: [zeros(area.end - Math.max(lastWhole, area.start)), ...after] });
  return pieces;
}

const zeros = (length: number): Uint8Array => new Uint8Array(length);
