import type { Clock } from '@lateen/kernel';
import { apiTime } from './api-time.ts';

/** metav1.Condition. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  /** When `status` last changed; not when the message did. */
  lastTransitionTime: string;
  observedGeneration?: number;
}

/** A new list in which the condition of that type is as given; its transition time moves only with its status. */
export function withCondition(
  conditions: readonly Condition[] | undefined,
  condition: Omit<Condition, 'lastTransitionTime'>,
  clock: Clock,
): Condition[] {
  const old = conditions?.find((each) => each.type === condition.type);
  const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : apiTime(clock.now());
  const others = (conditions ?? []).filter((each) => each.type !== condition.type);
  return [...others, { ...condition, lastTransitionTime }];
}

export const findCondition = <C extends { type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined => conditions?.find((each) => each.type === type);
