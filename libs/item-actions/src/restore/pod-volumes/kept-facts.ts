import { annotations, type Pod, type PodVolumeRestore } from '@lateen/api-types';
import { isRestoreWait } from '@lateen/hooks';

const withOnly = (noted: Record<string, string> | undefined, keys: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(noted ?? {}).filter(([key]) => keys.includes(key)));

/** The fields of a PodVolumeRestore that following it needs: a restore may have thousands. */
export function keptOfRestore({ apiVersion, kind, metadata, spec, status }: PodVolumeRestore): PodVolumeRestore {
  const { namespace, name, uid, resourceVersion, creationTimestamp, labels = {} } = metadata;
  const noted = withOnly(metadata.annotations, [annotations.canceledBecause, annotations.pvcName]);
  const { pod, volume, cancel } = spec;
  return {
    apiVersion,
    kind,
    metadata: { namespace, name, uid, resourceVersion, creationTimestamp, labels, annotations: noted },
    spec: { pod, volume, cancel: cancel === true },
    ...(status === undefined ? {} : { status }),
  } as unknown as PodVolumeRestore;
}

const ofPod = [annotations.onFailedPodVolume, annotations.startWithoutData, annotations.volumesRestored];

/** The fields of a waiting pod. */
export function keptOfPod({ metadata, spec, status }: Pod): Pod {
  const { namespace, name, uid, resourceVersion, deletionTimestamp } = metadata;
  const { phase, reason, message, conditions, initContainerStatuses } = status ?? {};
  const { nodeName, volumes = [], initContainers = [] } = spec;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ namespace, name, uid, resourceVersion, deletionTimestamp },
      annotations: withOnly(metadata.annotations, ofPod),
    },
    spec: {
      containers: [],
      initContainers: initContainers
        .filter(isRestoreWait)
        .map(({ name: container, volumeMounts = [] }) => ({ name: container, volumeMounts })),
      ...(nodeName === undefined ? {} : { nodeName }),
      volumes: volumes.map(({ name: volume, persistentVolumeClaim, downwardAPI }) => ({
        name: volume,
        ...(persistentVolumeClaim === undefined ? {} : { persistentVolumeClaim }),
        ...(downwardAPI === undefined ? {} : { downwardAPI: {} }),
      })),
    },
    status: {
      ...{ phase, reason, message },
      conditions: (conditions ?? []).filter(({ type }) => type === 'PodScheduled'),
      initContainerStatuses: (initContainerStatuses ?? []).filter(isRestoreWait),
    },
  } as unknown as Pod;
}
