import { isLabelKey, isLabelValue, type LabelSelector, type LabelSelectorRequirement } from '@lateen/api-types';
import { AppError, quoted } from '@lateen/errors';

export type Labels = Readonly<Record<string, string>> | undefined;

/** True for labels that are meant. */
export type LabelTest = (labels: Labels) => boolean;

/** A selector that is asked for many objects: compiled once. An empty selector means all. An operator that is none never matches. */
export function labelTest({ matchLabels, matchExpressions }: LabelSelector): LabelTest {
  const tests = [
    ...Object.entries(matchLabels ?? {}).map(
      ([key, value]): LabelTest =>
        (labels) =>
          labelOf(labels, key) === value,
    ),
    ...(matchExpressions ?? []).map(requirementTest),
  ];
  const [only] = tests;
  if (only === undefined) return () => true;
  return tests.length === 1 ? only : (labels) => tests.every((test) => test(labels));
}

/** True when an object with these labels is meant; an empty selector means all. */
export function matchesSelector(selector: LabelSelector, labels: Labels): boolean {
  return labelTest(selector)(labels);
}

function requirementTest({ key, operator, values = [] }: LabelSelectorRequirement): LabelTest {
  const wanted = new Set(values);
  switch (operator) {
    case 'In':
      return (labels) => {
        const value = labelOf(labels, key);
        return value !== undefined && wanted.has(value);
      };
    case 'NotIn':
      return (labels) => {
        const value = labelOf(labels, key);
        return value === undefined || !wanted.has(value);
      };
    case 'Exists':
      return (labels) => labelOf(labels, key) !== undefined;
    case 'DoesNotExist':
      return (labels) => labelOf(labels, key) === undefined;
    default:
      return () => false;
  }
}

/** `constructor` and `toString` are labels that may exist; an object without them must not seem to have them. */
const labelOf = (labels: Labels, key: string): string | undefined =>
  labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;

/** The selector as list calls and `kubectl -l` take it; empty for one that selects everything. For a selector without a {@link selectorProblem}. */
export function selectorText({ matchLabels, matchExpressions }: LabelSelector): string {
  return [
    ...Object.entries(matchLabels ?? {}).map(([key, value]) => `${key}=${value}`),
    ...(matchExpressions ?? []).map(requirementText),
  ].join(',');
}

function requirementText({ key, operator, values = [] }: LabelSelectorRequirement): string {
  switch (operator) {
    case 'In':
      return `${key} in (${values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    default:
      return `!${key}`;
  }
}

/** What keeps the API server from understanding a selector; undefined when nothing does. */
export function selectorProblem({ matchLabels, matchExpressions }: LabelSelector): string | undefined {
  for (const [key, value] of Object.entries(matchLabels ?? {})) {
    const problem = keyProblem(key) ?? valueProblem(value);
    if (problem !== undefined) return problem;
  }
  for (const requirement of matchExpressions ?? []) {
    const problem = requirementProblem(requirement);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function requirementProblem({ key, operator, values = [] }: LabelSelectorRequirement): string | undefined {
  const wrong = keyProblem(key);
  if (wrong !== undefined) return wrong;
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) return `operator ${operator} of ${quoted(key)} needs values`;
    return values.map(valueProblem).find((problem) => problem !== undefined);
  }
  if (operator !== 'Exists' && operator !== 'DoesNotExist') {
    return `operator ${quoted(String(operator))} of ${quoted(key)} is none of In, NotIn, Exists, DoesNotExist`;
  }
  return values.length === 0 ? undefined : `operator ${operator} of ${quoted(key)} takes no values`;
}

const keyProblem = (key: string): string | undefined =>
  isLabelKey(key) ? undefined : `${quoted(key)} is not a valid label key`;

const valueProblem = (value: unknown): string | undefined =>
  typeof value === 'string' && isLabelValue(value) ? undefined : `${quoted(String(value))} is not a valid label value`;

/**
 * Reads a selector as `kubectl -l` takes it: `a=b,c!=d,e in (f,g),h,!i`.
 * @throws LABEL_SELECTOR_INVALID naming the part that is not understood
 */
export function parseSelector(text: string): LabelSelector {
  const selector: Required<LabelSelector> = { matchLabels: {}, matchExpressions: [] };
  for (const part of partsOf(text)) addRequirement(selector, part);
  const problem = selectorProblem(selector);
  if (problem !== undefined) throw invalid(text, problem);
  const { matchLabels, matchExpressions } = selector;
  return {
    ...(Object.keys(matchLabels).length === 0 ? {} : { matchLabels }),
    ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
  };
}

/** Commas inside `in (a,b)` do not separate. */
const partsOf = (text: string): string[] =>
  text.trim() === '' ? [] : text.split(/,(?![^(]*\))/).map((part) => part.trim());

function addRequirement({ matchLabels, matchExpressions }: Required<LabelSelector>, part: string): void {
  const inSet = /^([^\s!=(),<>]+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(part);
  if (inSet !== null) {
    const [, key = '', operator, list = ''] = inSet;
    const values = list.split(',').map((value) => value.trim());
    matchExpressions.push({ key, operator: operator === 'in' ? 'In' : 'NotIn', values });
    return;
  }
  const equality = /^([^\s!=(),<>]+)\s*(==|=|!=)\s*([^\s!=(),<>]*)$/.exec(part);
  if (equality !== null) {
    const [, key = '', operator, value = ''] = equality;
    if (operator === '!=') matchExpressions.push({ key, operator: 'NotIn', values: [value] });
    // The same key twice must hold twice; a map has room for one value.
    else if (Object.hasOwn(matchLabels, key)) matchExpressions.push({ key, operator: 'In', values: [value] });
    else matchLabels[key] = value;
    return;
  }
  const [, not, key] = /^(!?)\s*([^\s!=(),<>]+)$/.exec(part) ?? [];
  if (key === undefined)
    throw invalid(part, 'a requirement is key=value, key!=value, key in (a,b), key notin (a,b), key or !key');
  matchExpressions.push({ key, operator: not === '!' ? 'DoesNotExist' : 'Exists' });
}

const invalid = (text: string, problem: string): AppError =>
  new AppError('LABEL_SELECTOR_INVALID', `${quoted(text)} is not a label selector: ${problem}`);
