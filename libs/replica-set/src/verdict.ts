import type { FailureCause, FailureKind } from './failure.ts';
import type { Mode } from './replica-set.ts';

/** What a replica was asked for when it failed; `none`: its link ended, it was silent, or it is dropped. */
export type Asked = 'change' | 'flush' | 'read' | 'none';

/**
 * `leaves`: the replica leaves the set, which goes on with others. `ends`: it was the last one that could be read, and the set is over. `refuses`: the
 * replica stays, and the one request fails.
 */
export type Fate = 'leaves' | 'ends' | 'refuses';

interface Verdict {
  readonly fate: Fate;
  /** So that all replicas of the set have the same bytes where the request has failed. */
  readonly unreadableLeave: boolean;
}

interface Rule extends Verdict {
  /** It can be read, and no other one can. */
  readonly isLast: boolean;
  readonly kinds: 'any' | readonly FailureKind[];
  readonly asked: 'any' | readonly Asked[];
}

/** The first rule that fits counts. Reasons: docs/adr/0079. */
const rules: readonly Rule[] = [
  { isLast: true, kinds: ['no-room'], asked: ['change'], fate: 'refuses', unreadableLeave: true },
  { isLast: true, kinds: ['no-room'], asked: ['flush'], fate: 'refuses', unreadableLeave: false },
  { isLast: true, kinds: 'any', asked: 'any', fate: 'ends', unreadableLeave: false },
  { isLast: false, kinds: 'any', asked: 'any', fate: 'leaves', unreadableLeave: false },
];

export interface Failing {
  readonly name: string;
  readonly mode: Mode;
}

/** What becomes of `failing`, one of `members`, when it has failed by `kind` at what it was asked for. */
export function verdictOf(
  failing: Failing,
  members: readonly Failing[],
  { kind, asked }: { readonly kind: FailureKind; readonly asked: Asked },
): Verdict {
  const isLast = failing.mode === 'RW' && members.every((other) => other === failing || other.mode !== 'RW');
  const fits = <T>(wanted: 'any' | readonly T[], value: T) => wanted === 'any' || wanted.includes(value);
  const rule = rules.find((each) => each.isLast === isLast && fits(each.kinds, kind) && fits(each.asked, asked));
  if (rule === undefined) throw new Error(`no rule for a replica that has failed by ${kind}`);
  return rule;
}

/** Why a replica that is being rebuilt leaves when the only readable one has refused a write that this one may have. */
export const mayHaveMore = (last: string): FailureCause => ({
  kind: 'differs',
  message: `it may have a write for which ${last}, the only replica that can be read, has no room left`,
});
