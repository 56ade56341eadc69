import type { BackupResourceHookSpec, LabelSelector, Pod } from '@lateen/api-types';

/** How the API calls pods; discovery knows no other names for them. */
const podNames: readonly string[] = ['pods', 'pod', 'po'];

/** Whether the filters of an entry of `spec.hooks.resources` let a pod in; all of them must. */
export function appliesToPod(hook: BackupResourceHookSpec, pod: Pod): boolean {
  const { namespace = '', labels = {} } = pod.metadata;
  return (
    isIncluded([namespace], hook.includedNamespaces, hook.excludedNamespaces) &&
    isIncluded(podNames, hook.includedResources, hook.excludedResources) &&
    selects(hook.labelSelector ?? {}, labels)
  );
}

function isIncluded(
  names: readonly string[],
  included: readonly string[] | null | undefined,
  excluded: readonly string[] | null | undefined,
): boolean {
  const isIn = (patterns: readonly string[]) =>
    patterns.some((pattern) => names.some((name) => matches(pattern, name)));
  if (isIn(excluded ?? [])) return false;
  return (included ?? []).length === 0 || isIn(included ?? []);
}

/** `*` any text, `?` one character, `[a-z]` one of them. */
function matches(pattern: string, name: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(name);
}

function selects(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      const isListed = value !== undefined && values.includes(value);
      return operator === 'In' ? isListed : operator === 'NotIn' && !isListed;
    })
  );
}
