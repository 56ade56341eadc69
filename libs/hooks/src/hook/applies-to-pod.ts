import type { BackupResourceHookSpec, Pod } from '@lateen/api-types';
import { nameFilter } from '@lateen/item-filters';
import { matchesSelector } from '@lateen/kube';

/** Whether the filters of an entry of `spec.hooks.resources` match a pod; all of them must. */
export function appliesToPod(hook: BackupResourceHookSpec, pod: Pod): boolean {
  const resources = nameFilter({
    included: hook.includedResources?.map(podsByName),
    excluded: hook.excludedResources?.map(podsByName),
  });
  return resources.matches('pods') && appliesToPlace(hook, pod.metadata);
}

/** The same without the resources, for hooks that can only apply to pods. */
export function appliesToPlace(
  hook: Pick<BackupResourceHookSpec, 'includedNamespaces' | 'excludedNamespaces' | 'labelSelector'>,
  { namespace = '', labels }: Pod['metadata'],
): boolean {
  const namespaces = nameFilter({ included: hook.includedNamespaces, excluded: hook.excludedNamespaces });
  return namespaces.matches(namespace) && matchesSelector(hook.labelSelector ?? {}, labels);
}

/** Only pods have hooks, and the API's names of pods are fixed: no discovery is needed. */
const podNames: readonly string[] = ['pods', 'pod', 'po'];
const podsByName = (name: string): string => (podNames.includes(name.toLowerCase()) ? 'pods' : name);
