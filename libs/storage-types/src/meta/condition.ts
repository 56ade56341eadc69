import type { TimeText } from './scalars.ts';

export const conditionStatuses = ['True', 'False', 'Unknown'] as const;
/** @unchecked */
export type ConditionStatus = (typeof conditionStatuses)[number];

/** One aspect of an object's state, with the reason for it. */
export interface Condition {
  /** Aspect that the condition is about; each is there once. */
  type?: string;
  /** True, False or Unknown. */
  status?: ConditionStatus;
  /** Why, as one word for programs. */
  reason?: string;
  /** Why, as a sentence for people. */
  message?: string;
  /** When the aspect was last looked at. */
  lastProbeTime?: TimeText;
  /** When the status last changed. */
  lastTransitionTime?: TimeText;
}
