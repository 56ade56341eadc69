import type { Pod, Unstructured } from '@lateen/api-types';
import { isRestoreWait } from '@lateen/hooks';
import type { RestoreActionContext, RestoreItemAction } from '../../contract/restore-item-action.ts';
import { actionConfig } from '../action-config.ts';
import { podVolumesOf } from './pod-volumes-of.ts';
import { restoreWaitContainer } from './restore-wait-container.ts';

const name = 'velero.io/pod-volume-restore';

/** Somebody restores volumes of pods through their file system, and puts marks into them. */
export interface PodVolumeRestores {
  /** The image of restore-wait where its ConfigMap names none. */
  image(context: RestoreActionContext, signal: AbortSignal): Promise<string>;
}

/**
 * Holds a pod back until its volumes have their data. Without anybody who brings it, nothing would end that wait: such a volume is an error
 * of the restore, and the pod starts with it empty.
 */
export function podVolumeRestoreAction(restores?: PodVolumeRestores): RestoreItemAction {
  const volumesOf = podVolumesOf();
  const config = actionConfig(name);
  return {
    name,
    appliesTo: { includedResources: ['pods'] },
    execute: async ({ item, itemFromBackup }, context, signal) => {
      const volumes = await volumesOf(itemFromBackup as unknown as Pod, context, signal);
      const pod = withoutWait(item as unknown as Pod);
      const updatedItem = pod as unknown as Unstructured;
      if (volumes.length === 0) return { updatedItem };
      if (restores === undefined) {
        for (const volume of volumes)
          context.log.error({ volume }, 'Error restoring pod volume: file system restore is not supported yet');
        return { updatedItem };
      }
      const waiter = restoreWaitContainer(pod, {
        volumes,
        restoreUid: context.restore.metadata.uid ?? '',
        image: await restores.image(context, signal),
        config: (await config(context, signal)) ?? {},
        log: context.log,
      });
      const initContainers = [waiter, ...(pod.spec.initContainers ?? [])];
      return { updatedItem: { ...pod, spec: { ...pod.spec, initContainers } } as unknown as Unstructured };
    },
  };
}

/** Of an earlier restore: it waits for the mark of that one, which never comes again. */
function withoutWait(pod: Pod): Pod {
  const { initContainers, ...spec } = pod.spec;
  if (!isRestoreWait(initContainers?.[0])) return pod;
  const rest = (initContainers ?? []).slice(1);
  return { ...pod, spec: { ...spec, ...(rest.length === 0 ? {} : { initContainers: rest }) } };
}
