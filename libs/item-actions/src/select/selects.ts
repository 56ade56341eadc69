import type { LabelSelector, LabelSelectorRequirement } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { matchesSelector } from '@lateen/kube';
import type { ResourceSelector } from '../contract/resource-selector.ts';

/** What a selector looks at. */
export interface SelectableItem {
  /** `persistentvolumeclaims`, `deployments.apps`. */
  groupResource: string;
  /** Absent for cluster-scoped objects, which namespaces do not select. */
  namespace?: string | undefined;
  labels?: Readonly<Record<string, string>> | undefined;
}

/** Whether an action wants to see the item. @throws AppError SELECTOR_INVALID for a label selector that cannot be read */
export function selects(selector: ResourceSelector, { groupResource, namespace, labels }: SelectableItem): boolean {
  return (
    selectsResource(selector, groupResource) &&
    (namespace === undefined || lets(namespace, selector.includedNamespaces, selector.excludedNamespaces)) &&
    matchesSelector(parsed(selector.labelSelector ?? ''), labels)
  );
}

/** Whether any item of the resource can be selected: asked once per resource, most items then need no further look. */
export function selectsResource(selector: ResourceSelector, groupResource: string): boolean {
  return lets(groupResource, selector.includedResources, selector.excludedResources);
}

function lets(name: string, included: readonly string[] = [], excluded: readonly string[] = []): boolean {
  const isIn = (list: readonly string[]) => list.includes('*') || list.includes(name);
  return (included.length === 0 || isIn(included)) && !isIn(excluded);
}

/** A selector as in a list call; commas inside `in (a,b)` do not separate. @throws AppError SELECTOR_INVALID */
function parsed(selector: string): LabelSelector {
  const parts = selector.split(/,(?![^(]*\))/).map((part) => part.trim());
  return { matchExpressions: parts.filter((part) => part !== '').map(requirement) };
}

function requirement(text: string): LabelSelectorRequirement {
  const inSet = /^([^\s!=(),]+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(text);
  if (inSet !== null) {
    const [, key = '', operator, list = ''] = inSet;
    const values = list.split(',').map((value) => value.trim());
    return { key, operator: operator === 'in' ? 'In' : 'NotIn', values };
  }
  const equality = /^([^\s!=(),]+)\s*(==|=|!=)\s*([^\s!=(),]*)$/.exec(text);
  if (equality !== null) {
    const [, key = '', operator, value = ''] = equality;
    return { key, operator: operator === '!=' ? 'NotIn' : 'In', values: [value] };
  }
  const existence = /^(!?)\s*([^\s!=(),]+)$/.exec(text);
  if (existence === null) throw new AppError('SELECTOR_INVALID', `"${text}" is not a requirement on labels`);
  const [, not, key = ''] = existence;
  return { key, operator: not === '!' ? 'DoesNotExist' : 'Exists' };
}
