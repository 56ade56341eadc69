import type { Condition } from '@lateen/storage-types';
import type { JsonFields } from '../envelope/resource.ts';

export type Conditions = readonly Condition[] | null | undefined;

const conditionFields = (condition: Condition): JsonFields => ({
  type: condition.type ?? '',
  status: condition.status ?? '',
  lastProbeTime: condition.lastProbeTime ?? '',
  lastTransitionTime: condition.lastTransitionTime ?? '',
  reason: condition.reason ?? '',
  message: condition.message ?? '',
});

/** Conditions as most types have them: by their type. */
export const conditionMap = (conditions: Conditions): Record<string, JsonFields> =>
  Object.fromEntries((conditions ?? []).map((condition) => [condition.type ?? '', conditionFields(condition)]));

/** Conditions as engine images and attachments have them: one after the other. */
export const conditionList = (conditions: Conditions): JsonFields[] => (conditions ?? []).map(conditionFields);
