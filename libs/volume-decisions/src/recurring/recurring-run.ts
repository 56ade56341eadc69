import { type RecurringJob, storageAnnotations } from '@lateen/storage-types';
import type { RecurringRun } from './recurring-seen.ts';

/** The run that is recorded in a RecurringJob; undefined when there is no readable record: the job then counts from its creation. */
export function recurringRunOf({ metadata }: RecurringJob): RecurringRun | undefined {
  try {
    const found = JSON.parse(metadata.annotations?.[storageAnnotations.recurringRun] ?? 'null') as RecurringRun | null;
    if (found === null || typeof found !== 'object' || Number.isNaN(Date.parse(found.dueAt))) return undefined;
    return isNames(found.left) && isNames(found.going) ? found : undefined;
  } catch {
    return undefined;
  }
}

export const recurringRunText = ({ dueAt, left, going }: RecurringRun): string =>
  JSON.stringify({ dueAt, left, going });

const isNames = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string');
