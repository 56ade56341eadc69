import type { LabelSelector } from '@lateen/api-types';

/** A selector as it is written on a command line; `<none>` for none, as the reference prints it. */
export function selectorText(selector: LabelSelector | null | undefined): string {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const equal = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const others = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator.toLowerCase()} (${values.join(',')})`;
  });
  return [...equal, ...others].join(',') || '<none>';
}

/** Several, of which one has to match. */
export const orSelectorText = (selectors: readonly LabelSelector[] | null | undefined): string =>
  (selectors ?? []).map(selectorText).join(' or ') || '<none>';
