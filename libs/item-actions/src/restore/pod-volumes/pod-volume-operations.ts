import { labels, podVolumeRestoreType } from '@lateen/api-types';
import type { RestoreOperationContext } from '../../contract/restore-item-action.ts';
import { movementOperations, type Operations } from '../../csi/movement-operations.ts';
import { ofRestore } from '../../restore-csi/restore-labels.ts';
import { FollowedPodVolumes } from './followed-pod-volumes.ts';
import { podVolumeProgress } from './pod-volume-progress.ts';
import { podVolumeTimeoutMs } from './pod-volume-timeout.ts';
import { tellPodsOfVolumes } from './tell-pods.ts';

type PodVolumeOperations = Operations<RestoreOperationContext> & {
  operationTimeoutMs(context: RestoreOperationContext): number;
};

/**
 * A movement that was canceled by its timeout may take this long to end; its message is then better than that of an operation
 * timeout.
 */
const graceMs = 660_000;

/**
 * PodVolumeRestores as operations of their pods. Unlike other movements, they need a check whether the pod can start to wait, and
 * a notification of the pod when its data will not come. @param timeout of the server, a Go duration
 */
export function podVolumeOperations(timeout: string | undefined): PodVolumeOperations {
  const movements = movementOperations(podVolumeRestoreType, ({ restore }: RestoreOperationContext) =>
    ofRestore(restore),
  );
  return {
    ...movements,
    progress: async (operationId, context, signal) => {
      const { kube, veleroNamespace: namespace } = context;
      const labelSelector = `${labels.asyncOperationId}=${operationId}`;
      const [restore] = (await kube.list(podVolumeRestoreType, { namespace, labelSelector, signal })).items;
      const progress = restore && podVolumeProgress(restore);
      if (progress === undefined) return await movements.progress(operationId, context, signal);
      if (progress.completed) await tellPodsOfVolumes(context, signal);
      return progress;
    },
    watchOperations: (context, onChange, signal) =>
      new FollowedPodVolumes(context, {
        timeoutMs: podVolumeTimeoutMs(context.restore, timeout),
        onChange,
      }).run(signal),
    operationTimeoutMs: ({ restore }) => podVolumeTimeoutMs(restore, timeout) + graceMs,
  };
}
