import type { LabelSelector } from '@lateen/api-types';
import { selectorText as textOf } from '@lateen/kube';

/** A selector as it is written on a command line; `<none>` for none, as Velero prints it. */
export const selectorText = (selector: LabelSelector | null | undefined): string => textOf(selector ?? {}) || '<none>';

/** Several, of which one has to match. */
export const orSelectorText = (selectors: readonly LabelSelector[] | null | undefined): string =>
  (selectors ?? []).map(selectorText).join(' or ') || '<none>';
