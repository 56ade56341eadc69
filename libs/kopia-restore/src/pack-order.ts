import type { PackSlice } from '@lateen/pack-reader';

/**
 * Slices in the order in which they are best read: packs in the order of their first use, so that what was stored together
 * is written together, and within a pack from its beginning to its end. Sorts in place. Pure otherwise.
 */
export function inPackOrder<Slice extends PackSlice>(slices: Slice[]): Slice[] {
  const rank = new Map<string, number>();
  for (const { packId } of slices) if (!rank.has(packId)) rank.set(packId, rank.size);
  const rankOf = ({ packId }: Slice) => rank.get(packId) ?? 0;
  return slices.sort((a, b) => (a.packId === b.packId ? a.offset - b.offset : rankOf(a) - rankOf(b)));
}
