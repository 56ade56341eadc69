import type { Pod, Unstructured } from '@lateen/api-types';
import { initHooksOf, withInitHooks } from '@lateen/hooks';
import type { RestoreItemAction } from '../contract/restore-item-action.ts';

/** Adds the init containers that annotations or the Restore define for pods. */
export const initHookAction: RestoreItemAction = {
  name: 'velero.io/init-restore-hook',
  appliesTo: { includedResources: ['pods'] },
  execute: async ({ item }, { restore, random, mappedNamespace, log }) => {
    const pod = item as unknown as Pod;
    const targetNamespace = mappedNamespace(pod.metadata.namespace ?? '');
    const hooks = initHooksOf(pod, restore.spec.hooks, { targetNamespace, random });
    if (hooks.length === 0) return { updatedItem: item };
    log.info({ containers: hooks.map(({ name }) => name) }, 'init containers of hooks are put into the pod');
    const initContainers = withInitHooks(pod.spec.initContainers ?? [], hooks);
    return { updatedItem: { ...pod, spec: { ...pod.spec, initContainers } } as unknown as Unstructured };
  },
};
