import { matchesSelector, parseSelector } from '@lateen/kube';
import type { ResourceSelector } from '../contract/resource-selector.ts';

/** The facts that a selector checks. */
export interface SelectableItem {
  /** `persistentvolumeclaims`, `deployments.apps`. */
  groupResource: string;
  /** Absent for cluster-scoped objects, which no namespace selects. */
  namespace?: string | undefined;
  labels?: Readonly<Record<string, string>> | undefined;
}

/** Whether the selector includes the item. @throws LABEL_SELECTOR_INVALID for a label selector that cannot be parsed */
export function selects(selector: ResourceSelector, { groupResource, namespace, labels }: SelectableItem): boolean {
  return (
    selectsResource(selector, groupResource) &&
    (namespace === undefined || lets(namespace, selector.includedNamespaces, selector.excludedNamespaces)) &&
    (selector.labelSelector === undefined || matchesSelector(parseSelector(selector.labelSelector), labels))
  );
}

/** Whether any item of the resource can be selected: checked once per resource, which saves the check of most items. */
export function selectsResource(selector: ResourceSelector, groupResource: string): boolean {
  return lets(groupResource, selector.includedResources, selector.excludedResources);
}

function lets(name: string, included: readonly string[] = [], excluded: readonly string[] = []): boolean {
  const isIn = (list: readonly string[]) => list.includes('*') || list.includes(name);
  return (included.length === 0 || isIn(included)) && !isIn(excluded);
}
