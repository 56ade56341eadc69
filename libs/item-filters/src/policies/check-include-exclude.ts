import { parseSelector } from '@lateen/kube';
import type { PolicyFile } from './read-policies.ts';
import type { IncludeExcludePolicy } from './resource-policies.ts';

/** @throws for `*`, and for selectors of namespaces that cannot be intended */
export function includeExcludePolicy(file: NonNullable<PolicyFile['includeExcludePolicy']>): IncludeExcludePolicy {
  const {
    includedClusterScopedResources = [],
    excludedClusterScopedResources = [],
    includedNamespaceScopedResources = [],
    excludedNamespaceScopedResources = [],
    includedNamespacesByLabel: included = [],
    excludedNamespacesByLabel: excluded = [],
    labelSelectorLogic = '',
  } = file;
  const clusterScoped = [...includedClusterScopedResources, ...excludedClusterScopedResources];
  const namespaced = [...includedNamespaceScopedResources, ...excludedNamespaceScopedResources];
  if ([...clusterScoped, ...namespaced].includes('*')) {
    throw new Error("cannot use '*' in includes or excludes filters in the policy");
  }
  if (!['', 'OR', 'AND'].includes(labelSelectorLogic)) {
    throw new Error(`labelSelectorLogic must be "OR" or "AND", got "${labelSelectorLogic}"`);
  }
  for (const selector of [...included, ...excluded]) checkSelector(selector);
  return {
    includedClusterScopedResources,
    excludedClusterScopedResources,
    includedNamespaceScopedResources,
    excludedNamespaceScopedResources,
    namespacesByLabel: { included, excluded, logic: labelSelectorLogic === 'AND' ? 'AND' : 'OR' },
  };
}

/** An empty selector matches every namespace; in a list it is a mistake. */
function checkSelector(text: string): void {
  if (text.trim() === '') throw new Error('label selector cannot be empty');
  try {
    parseSelector(text);
  } catch (error) {
    throw new Error(`invalid label selector: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
