import type { FailureCause, FailureKind } from './failure.ts';
import type { Mode } from './replica-set.ts';

/** What a replica was asked for when it failed; `none`: its link ended, it did not answer, or it is being dropped. */
export type Asked = 'change' | 'flush' | 'read' | 'none';

/**
 * `leaves`: the replica leaves the set, which continues with the others. `ends`: it was the last readable one, and the set is over. `refuses`: the
 * replica stays, and only this request fails.
 */
export type Fate = 'leaves' | 'ends' | 'refuses';

interface Verdict {
  readonly fate: Fate;
  /** True when replicas that are not readable have to leave, so that all remaining replicas have the same data where the request failed. */
  readonly unreadableLeave: boolean;
}

interface Rule extends Verdict {
  /** It is the only readable replica. */
  readonly isLast: boolean;
  readonly kinds: 'any' | readonly FailureKind[];
  readonly asked: 'any' | readonly Asked[];
}

/** The first rule that matches decides. Reasons: docs/adr/0079. */
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

/** The fate of `failing`, one of `members`, after a failure of `kind` during the given request. */
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

/** Why a replica that is being rebuilt leaves when the only readable one has refused a write that the former may have carried out. */
export const mayHaveMore = (last: string): FailureCause => ({
  kind: 'differs',
  message: `it may have a write for which ${last}, the only replica that can be read, has no room left`,
});
