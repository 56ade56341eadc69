import { AppError } from '@lateen/errors';
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
    labelTests(selector.labelSelector ?? '').every((test) => test(labels ?? {}))
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

type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

/** The selector's requirements; commas inside `in (a,b)` do not separate. */
function labelTests(selector: string): LabelTest[] {
  const parts = selector.split(/,(?![^(]*\))/).map((part) => part.trim());
  return parts.filter((part) => part !== '').map(labelTest);
}

function labelTest(text: string): LabelTest {
  const inSet = /^([^\s!=(),]+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(text);
  if (inSet !== null) {
    const [, key = '', operator, list = ''] = inSet;
    const values = list.split(',').map((value) => value.trim());
    const isInside: LabelTest = (labels) => labels[key] !== undefined && values.includes(labels[key]);
    return operator === 'in' ? isInside : (labels) => !isInside(labels);
  }
  const equality = /^([^\s!=(),]+)\s*(==|=|!=)\s*([^\s!=(),]*)$/.exec(text);
  if (equality !== null) {
    const [, key = '', operator, value] = equality;
    return operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  const existence = /^(!?)\s*([^\s!=(),]+)$/.exec(text);
  if (existence === null) throw new AppError('SELECTOR_INVALID', `"${text}" is not a requirement on labels`);
  const [, not, key = ''] = existence;
  return (labels) => Object.hasOwn(labels, key) !== (not === '!');
}
