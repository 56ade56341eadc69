import type { TimeText } from './scalars.ts';

export const conditionStatuses = ['True', 'False', 'Unknown'] as const;
/** @unchecked */
export type ConditionStatus = (typeof conditionStatuses)[number];

/** A condition: one aspect of the state of an object. */
export interface Condition {
  /** Type of the condition. Each type occurs once. */
  type?: string;
  /** `True`: the condition is met. `False`: it is not. `Unknown`: this cannot be determined. */
  status?: ConditionStatus;
  /** Reason for the status, as one word for programs. */
  reason?: string;
  /** Reason for the status, as text for people. */
  message?: string;
  /** When the condition was last checked. Empty: not recorded. */
  lastProbeTime?: TimeText;
  /** When the status last changed. */
  lastTransitionTime?: TimeText;
}
