import type { KeptBase } from './base-notes.ts';

/** A base costs storage with each block that is overwritten: a weekly schedule keeps its own, one that was stopped does not (docs/adr/0081). */
export const baseMaxAgeMs = 8 * 24 * 60 * 60 * 1000;

export interface BasesSeen {
  readonly bases: readonly KeptBase[];
  /** The uid of the claim of that name; undefined: there is none. */
  claimUid(claim: KeptBase['claim']): string | undefined;
  readonly nowMs: number;
  readonly maxAgeMs?: number;
}

/** A base that is of no use any more, and why. */
export interface SpentBase {
  readonly base: KeptBase;
  readonly reason: string;
}

/** Which base snapshots are to be deleted. The same facts give the same result. Pure. */
export function spentBases({ bases, claimUid, nowMs, maxAgeMs = baseMaxAgeMs }: BasesSeen): SpentBase[] {
  const newest = new Map<string, KeptBase>();
  for (const base of bases) {
    const key = JSON.stringify([base.claim.uid, base.backupStorageLocation]);
    const other = newest.get(key);
    if (other === undefined || isNewer(base, other)) newest.set(key, base);
  }
  const kept = new Set(newest.values());
  return bases.flatMap((base) => {
    const reason = spentReason(base, { isNewest: kept.has(base), claimUid, nowMs, maxAgeMs });
    return reason === undefined ? [] : [{ base, reason }];
  });
}

/** Two of one second are told apart by name, so that everybody chooses the same. */
const isNewer = (base: KeptBase, other: KeptBase): boolean =>
  base.createdMs === other.createdMs ? base.name > other.name : base.createdMs > other.createdMs;

function spentReason(
  base: KeptBase,
  { isNewest, claimUid, nowMs, maxAgeMs }: Required<Omit<BasesSeen, 'bases'>> & { isNewest: boolean },
): string | undefined {
  if (!isNewest) return 'there is a newer one of its claim';
  const uid = claimUid(base.claim);
  if (uid === undefined) return 'its claim is gone';
  if (uid !== base.claim.uid) return 'another claim has the name of its own';
  if (!base.isReady) return 'it is not ready any more';
  return nowMs - base.createdMs > maxAgeMs ? 'it is too old' : undefined;
}
