import type { LabelSelector } from '@lateen/api-types';
import { selectorText as textOf } from '@lateen/kube';

/** A selector in the form of the command line; `<none>` without one, as Velero prints it. */
export const selectorText = (selector: LabelSelector | null | undefined): string => textOf(selector ?? {}) || '<none>';

/** Several selectors, one of which has to match. */
export const orSelectorText = (selectors: readonly LabelSelector[] | null | undefined): string =>
  (selectors ?? []).map(selectorText).join(' or ') || '<none>';
