import type { ResourceType, Unstructured } from '@lateen/kube';
import { badRequest } from './api-error.ts';
import { typeKeyOf } from './store.ts';

export type Matches = (object: Unstructured) => boolean;

type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

/** Label and field selectors, parsed once. @throws KUBE_BAD_REQUEST for a selector that the API server rejects */
export function selects(type: ResourceType, options: { labelSelector?: string; fieldSelector?: string }): Matches {
  const labelTests = splitTopLevel(options.labelSelector ?? '').map(labelTest);
  const fieldTests = splitTopLevel(options.fieldSelector ?? '').map((text) => fieldTest(type, text));
  return (object) => {
    const labels = object.metadata.labels ?? {};
    return labelTests.every((test) => test(labels)) && fieldTests.every((test) => test(object));
  };
}

/** Commas inside `in (a,b)` are not separators. */
function splitTopLevel(selector: string): string[] {
  return selector
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function labelTest(text: string): LabelTest {
  const inSet = /^([^\s!=(),]+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(text);
  if (inSet !== null) {
    const [, key = '', operator, list = ''] = inSet;
    const values = list.split(',').map((value) => value.trim());
    const inside: LabelTest = (labels) => labels[key] !== undefined && values.includes(labels[key]);
    return operator === 'in' ? inside : (labels) => !inside(labels);
  }
  const equality = /^([^\s!=(),]+)\s*(==|=|!=)\s*([^\s!=(),]*)$/.exec(text);
  if (equality !== null) {
    const [, key = '', operator, value] = equality;
    return operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  const exists = /^(!?)\s*([^\s!=(),]+)$/.exec(text);
  if (exists === null) throw badRequest(`unable to parse requirement: found '${text}', expected: identifier`);
  const [, not, key = ''] = exists;
  return not === '!' ? (labels) => !(key in labels) : (labels) => key in labels;
}

const everyKindsFields = ['metadata.name', 'metadata.namespace'];

/** The fields that field selectors support per kind (the API server's field label conversion functions). */
const fieldsOf: Record<string, readonly string[]> = {
  '/Pod': [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  '/Event': [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  '/Secret': ['type'],
  '/Node': ['spec.unschedulable'],
  '/Namespace': ['status.phase'],
};

function fieldTest(type: ResourceType, text: string): Matches {
  const match = /^([^\s!=]+)\s*(==|=|!=)\s*(.*)$/.exec(text);
  if (match === null) throw badRequest(`invalid field selector: "${text}"; can't understand '${text}'`);
  const [, path = '', operator, value] = match;
  if (!everyKindsFields.includes(path) && !(fieldsOf[typeKeyOf(type)] ?? []).includes(path)) {
    throw badRequest(`field label not supported: ${path}`);
  }
  const equals: Matches = (object) => fieldText(object, path) === value;
  return operator === '!=' ? (object) => !equals(object) : equals;
}

function fieldText(object: Unstructured, path: string): string {
  let value: unknown = object;
  for (const part of (path === 'source' ? 'source.component' : path).split('.')) {
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined;
  }
  return value === undefined || value === null ? '' : String(value);
}
