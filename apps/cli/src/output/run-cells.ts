import type { LabelSelector } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import type { Run, RunCounts, RunNoun } from '@lateen/operations/run';
import { orSelectorText, selectorText } from './selector-text.ts';

/** The phase; `Deleting` for a run that is being deleted, whatever its phase. */
export const phaseCell = <T extends Run>(noun: RunNoun<T>, run: T): string =>
  run.metadata.deletionTimestamp === undefined ? noun.phaseOf(run) : 'Deleting';

/** The time, or the text that Velero prints when there is none yet. */
export const timeCell = (time: string | null | undefined): string => time ?? '<nil>';

export const selectorCell = (spec: {
  labelSelector?: LabelSelector | null;
  orLabelSelectors?: readonly LabelSelector[] | null;
}): string =>
  plainLine(spec.orLabelSelectors?.length ? orSelectorText(spec.orLabelSelectors) : selectorText(spec.labelSelector));

export function itemsCell({ items: { done, total } }: RunCounts): string {
  return total === 0 ? '' : done >= total ? String(total) : `${done}/${total}`;
}

export function operationsCell({ operations: { attempted, completed, failed } }: RunCounts): string {
  if (attempted === 0) return '';
  return failed === 0 ? `${completed}/${attempted}` : `${completed}/${attempted}, ${failed} failed`;
}

/** Why the run failed as a whole; `describe` shows the other errors. */
export const causeCell = ({ status }: Run): string =>
  plainLine(status?.failureReason || (status?.validationErrors ?? []).join('; '));
