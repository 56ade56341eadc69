import { type ContainerStatus, claimNameOf, type Pod, type PodCondition } from '@lateen/api-types';
import { storageLabels, storageLabelValues } from '@lateen/storage-types';

/** `namespace/name` of each claim that the pod uses. */
export function claimsOf({ metadata, spec }: Pod): string[] {
  const { namespace = '', name = '' } = metadata;
  return (spec.volumes ?? []).flatMap((volume) => {
    const claim = claimNameOf(name, volume);
    return claim === undefined ? [] : [`${namespace}/${claim}`];
  });
}

export const isInstanceManagerPod = ({ metadata }: Pick<Pod, 'metadata'>): boolean =>
  metadata.labels?.[storageLabels.component] === storageLabelValues.instanceManager;

/** Reduces a pod to the fields that are read: there may be many thousands of pods. */
export function slimPod(pod: Pod): Pod {
  const { apiVersion, kind, metadata, spec, status } = pod;
  const { managedFields: _, annotations, labels, ...identity } = metadata;
  const isOurs = isInstanceManagerPod(pod);
  const { phase, reason, message, podIP, startTime, conditions, containerStatuses } = status ?? {};
  const { nodeName, volumes = [] } = spec ?? { containers: [] };
  return {
    apiVersion,
    kind,
    metadata: {
      ...identity,
      ...(isOurs && annotations !== undefined ? { annotations } : {}),
      ...(isOurs && labels !== undefined ? { labels } : {}),
    },
    spec: {
      containers: [],
      ...(nodeName === undefined ? {} : { nodeName }),
      volumes: volumes.filter((each) => each.persistentVolumeClaim !== undefined || each.ephemeral !== undefined),
    },
    status: {
      ...(phase === undefined ? {} : { phase }),
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined ? {} : { message }),
      ...(podIP === undefined ? {} : { podIP }),
      ...(startTime === undefined ? {} : { startTime }),
      ...(isOurs
        ? { conditions: (conditions ?? []).filter(isRead), containerStatuses: containerStatuses?.map(slimStatus) ?? [] }
        : {}),
    },
  };
}

const isRead = ({ type }: PodCondition): boolean => type === 'Ready' || type === 'PodScheduled';

const slimStatus = ({ name, restartCount = 0, state, lastState }: ContainerStatus): ContainerStatus => ({
  name,
  restartCount,
  ...(state === undefined ? {} : { state }),
  ...(lastState === undefined ? {} : { lastState }),
});
