import { apiTime } from '@lateen/kube';
import type { Condition } from '@lateen/storage-types';

/** A condition as a decision states it; the times are added by {@link withCondition}. */
export type StatedCondition = Required<Pick<Condition, 'type' | 'status' | 'reason' | 'message'>>;

/**
 * The conditions, with one of them updated. `lastTransitionTime` changes only with the status, and an equal condition changes nothing, so
 * that a repeated decision is written once.
 */
export function withCondition(
  conditions: readonly Condition[] | null | undefined,
  stated: StatedCondition,
  nowMs: number,
): Condition[] {
  const before = conditions?.find(({ type }) => type === stated.type);
  const since = before?.status === stated.status ? before.lastTransitionTime : undefined;
  const now = { lastProbeTime: '', ...before, ...stated, lastTransitionTime: since ?? apiTime(nowMs) };
  if (before === undefined) return [...(conditions ?? []), now];
  return (conditions ?? []).map((each) => (each.type === stated.type ? now : each));
}
