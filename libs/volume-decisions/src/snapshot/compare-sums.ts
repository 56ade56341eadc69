import type { EventWish } from '../decision/decision.ts';

/** The result of comparing the checksums of one snapshot on all replicas. */
export type SumsVerdict =
  | { readonly agreed: string }
  /** Replicas to mark as failed, with the reason as a sentence. */
  | { readonly agreed: string; readonly fail: readonly string[]; readonly cause: string }
  /** No majority: no replica is failed, and an Event reports it. */
  | { readonly open: true; readonly event: EventWish };

/** The checksum of more than half of the replicas is right. With two different replicas both are kept: nothing is guessed. */
export function compareSums(snapshot: string, sums: Readonly<Record<string, string>>): SumsVerdict | undefined {
  const replicas = Object.keys(sums).sort();
  const by = Map.groupBy(replicas, (name) => sums[name] ?? '');
  const [first] = [...by].sort(([, a], [, b]) => b.length - a.length);
  if (first === undefined) return undefined;
  const [sum, having] = first;
  if (having.length === replicas.length) return { agreed: sum };
  const cause = `checksum of snapshot ${snapshot} differs from the majority`;
  if (having.length * 2 > replicas.length)
    return { agreed: sum, fail: replicas.filter((name) => sums[name] !== sum), cause };
  const groups = [...by.values()].map((names) => names.join(', ')).join(' against ');
  const message = `snapshot ${snapshot} has different data on its replicas (${groups}), and no majority says which is right; all are kept`;
  return { open: true, event: { type: 'Warning', reason: 'ChecksumsDiffer', message } };
}
