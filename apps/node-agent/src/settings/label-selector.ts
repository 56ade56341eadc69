import type { LabelSelector } from '@lateen/api-types';
import { selectorProblem } from '@lateen/kube';
import { isObject, type Remark, remarkUnknown, shown } from './settings-value.ts';

/** A valid selector, or nothing and a remark: a part of a selector would select the wrong objects. */
export function labelSelectorAt(key: string, value: unknown, remark: Remark): LabelSelector | undefined {
  const why = (what: string) => {
    remark(`"${key}": ${shown(value)} is ignored: ${what}`);
    return undefined;
  };
  if (!isObject(value)) return why('it must be an object with matchLabels or matchExpressions');
  remarkUnknown(`${key}.`, value, ['matchLabels', 'matchExpressions'], remark);
  const { matchLabels = {}, matchExpressions = [] } = value;
  if (!isObject(matchLabels) || Object.values(matchLabels).some((each) => typeof each !== 'string'))
    return why('matchLabels must be an object of strings');
  if (!Array.isArray(matchExpressions)) return why('matchExpressions must be a list');
  for (const each of matchExpressions) {
    const flaw = flawOf(each);
    if (flaw !== undefined) return why(flaw);
  }
  const selector: LabelSelector = { matchLabels: matchLabels as Record<string, string>, matchExpressions };
  const problem = selectorProblem(selector);
  return problem === undefined ? selector : why(problem);
}

/** What is wrong with the form of a requirement; its values are checked elsewhere. */
function flawOf(requirement: unknown): string | undefined {
  if (!isObject(requirement) || typeof requirement.key !== 'string') return 'an expression has no key';
  const { key, values = [] } = requirement;
  const areTexts = Array.isArray(values) && values.every((each) => typeof each === 'string');
  return areTexts ? undefined : `values of "${key}" must be strings`;
}
