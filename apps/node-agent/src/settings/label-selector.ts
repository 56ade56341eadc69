import type { LabelSelector } from '@lateen/api-types';
import { isObject, type Remark, remarkUnknown, shown } from './settings-value.ts';

const withValues: readonly string[] = ['In', 'NotIn'];
const withoutValues: readonly string[] = ['Exists', 'DoesNotExist'];

/** A selector that can be used, or nothing and a remark: half of a selector would select what was not meant. */
export function labelSelectorAt(key: string, value: unknown, remark: Remark): LabelSelector | undefined {
  const why = (what: string) => {
    remark(`"${key}": ${shown(value)} is ignored: ${what}`);
    return undefined;
  };
  if (!isObject(value)) return why('it must be an object with matchLabels or matchExpressions');
  remarkUnknown(`${key}.`, value, ['matchLabels', 'matchExpressions'], remark);
  const { matchLabels = {}, matchExpressions = [] } = value;
  if (!isObject(matchLabels) || Object.values(matchLabels).some((each) => typeof each !== 'string'))
    return why('matchLabels must be an object of texts');
  if (!Array.isArray(matchExpressions)) return why('matchExpressions must be a list');
  for (const each of matchExpressions) {
    const flaw = flawOf(each);
    if (flaw !== undefined) return why(flaw);
  }
  return { matchLabels: matchLabels as Record<string, string>, matchExpressions };
}

function flawOf(requirement: unknown): string | undefined {
  if (!isObject(requirement) || typeof requirement.key !== 'string') return 'an expression has no key';
  const { key, operator, values = [] } = requirement;
  if (!Array.isArray(values) || values.some((each) => typeof each !== 'string'))
    return `values of "${key}" must be texts`;
  if (withValues.includes(String(operator)))
    return values.length > 0 ? undefined : `operator ${operator} of "${key}" needs values`;
  if (withoutValues.includes(String(operator)))
    return values.length === 0 ? undefined : `operator ${operator} of "${key}" takes no values`;
  return `operator ${shown(operator)} of "${key}" is none of In, NotIn, Exists, DoesNotExist`;
}

/** True when an object with these labels is meant; an empty selector means all. */
export function selects(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  const byLabels = Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  return (
    byLabels &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        default:
          return value === undefined;
      }
    })
  );
}
