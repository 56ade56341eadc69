import type { LabelSelector } from '@lateen/api-types';
import { selectorProblem } from '@lateen/kube';

/** The problems of two lists as texts for `status.validationErrors`. */
export const titled = (what: 'resource' | 'namespace', problems: readonly string[]): string[] =>
  problems.map((problem) => `Invalid included/excluded ${what} lists: ${problem}`);

interface Selectors {
  labelSelector?: LabelSelector | null;
  orLabelSelectors?: LabelSelector[] | null;
}

/** The same for the label selectors of a backup or a restore. */
export function selectorProblems(
  whose: 'backup' | 'restore',
  { labelSelector, orLabelSelectors }: Selectors,
): string[] {
  const either = orLabelSelectors ?? [];
  const both = labelSelector !== undefined && labelSelector !== null && either.length > 0;
  return [
    ...(both
      ? [`encountered labelSelector as well as orLabelSelectors in ${whose} spec, only one can be specified`]
      : []),
    ...problemOf('labelSelector', labelSelector ?? {}),
    ...either.flatMap((selector, index) => problemOf(`orLabelSelectors[${index}]`, selector)),
  ];
}

function problemOf(field: string, selector: LabelSelector): string[] {
  const problem = selectorProblem(selector);
  return problem === undefined ? [] : [`invalid label selector in ${field}: ${problem}`];
}
