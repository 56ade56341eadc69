import type { EventWish } from '../decision/decision.ts';

/** What follows from the sums of one snapshot on all replicas. */
export type SumsVerdict =
  | { readonly agreed: string }
  /** Replicas to be failed, with the sentence that says why. */
  | { readonly agreed: string; readonly fail: readonly string[]; readonly cause: string }
  /** Nobody can tell which is right: nothing is failed, and people are told. */
  | { readonly open: true; readonly event: EventWish };

/** The sum that most replicas have is right when more than half of them have it. Two that differ are both kept: nothing is guessed. */
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
