import type { LabelSelector } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import { fields, listText, section } from '../output/description.ts';
import { orSelectorText, selectorText } from '../output/selector-text.ts';

/** The filters that a backup, a restore and a hook have in common. */
interface Filters {
  includedNamespaces?: readonly string[] | null;
  excludedNamespaces?: readonly string[] | null;
  includedResources?: readonly string[] | null;
  excludedResources?: readonly string[] | null;
}

/** true, false, or auto when the field is not set. */
export const boolText = (value: boolean | null | undefined, open = 'auto'): string =>
  value === undefined || value === null ? open : String(value);

export const clusterScopedText = (include: boolean | null | undefined): string =>
  include === undefined || include === null ? 'auto' : include ? 'included' : 'excluded';

/** Lines. */
export const namespacesSection = ({ includedNamespaces, excludedNamespaces }: Filters): string[] =>
  section(
    'Namespaces',
    fields([
      ['Included', listText(includedNamespaces, '*')],
      ['Excluded', listText(excludedNamespaces)],
    ]),
  );

export const resourceRows = ({ includedResources, excludedResources }: Filters): [string, string][] => [
  ['Included', listText(includedResources, '*')],
  ['Excluded', listText(excludedResources)],
];

/** Blocks. */
export const selectorSections = (spec: {
  labelSelector?: LabelSelector | null;
  orLabelSelectors?: readonly LabelSelector[] | null;
}): string[][] => [
  [`Label selector:  ${plainLine(selectorText(spec.labelSelector))}`],
  [`Or label selector:  ${plainLine(orSelectorText(spec.orLabelSelectors))}`],
];

/** A ConfigMap that a spec refers to; nothing when it refers to none. Lines. */
export const referenceSection = (
  heading: string,
  reference: { kind: string; name: string } | null | undefined,
): string[] =>
  reference
    ? section(
        heading,
        fields([
          ['Type', plainLine(reference.kind)],
          ['Name', plainLine(reference.name)],
        ]),
      )
    : [];
