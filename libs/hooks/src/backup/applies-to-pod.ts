import type { BackupResourceHookSpec, Pod } from '@lateen/api-types';
import { nameFilter } from '@lateen/item-filters';
import { matchesSelector } from '@lateen/kube';

/** Whether the filters of an entry of `spec.hooks.resources` let a pod in; all of them must. */
export function appliesToPod(hook: BackupResourceHookSpec, pod: Pod): boolean {
  const { namespace = '', labels } = pod.metadata;
  const namespaces = nameFilter({ included: hook.includedNamespaces, excluded: hook.excludedNamespaces });
  const resources = nameFilter({
    included: hook.includedResources?.map(podsByName),
    excluded: hook.excludedResources?.map(podsByName),
  });
  return (
    namespaces.matches(namespace) && resources.matches('pods') && matchesSelector(hook.labelSelector ?? {}, labels)
  );
}

/** Only pods have hooks, and what the API calls them does not change: no discovery is needed for it. */
const podNames: readonly string[] = ['pods', 'pod', 'po'];
const podsByName = (name: string): string => (podNames.includes(name.toLowerCase()) ? 'pods' : name);
