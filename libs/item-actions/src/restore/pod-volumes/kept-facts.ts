import { annotations, type Pod, type PodVolumeRestore } from '@lateen/api-types';
import { isRestoreWait } from '@lateen/hooks';

/** What following needs of a PodVolumeRestore: a restore may have thousands. */
export function keptOfRestore({ apiVersion, kind, metadata, spec, status }: PodVolumeRestore): PodVolumeRestore {
  const { namespace, name, uid, resourceVersion, creationTimestamp, labels = {} } = metadata;
  const because = metadata.annotations?.[annotations.canceledBecause];
  const { pod, volume, cancel } = spec;
  return {
    apiVersion,
    kind,
    metadata: {
      ...{ namespace, name, uid, resourceVersion, creationTimestamp, labels },
      ...(because === undefined ? {} : { annotations: { [annotations.canceledBecause]: because } }),
    },
    spec: { pod, volume, cancel: cancel === true },
    ...(status === undefined ? {} : { status }),
  } as unknown as PodVolumeRestore;
}

/** The same of a pod that waits. */
export function keptOfPod({ metadata, spec, status }: Pod): Pod {
  const { namespace, name, uid, resourceVersion, deletionTimestamp } = metadata;
  const { phase, reason, message, conditions, initContainerStatuses } = status ?? {};
  const { nodeName, volumes } = spec;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, uid, resourceVersion, deletionTimestamp },
    spec: {
      containers: [],
      ...(nodeName === undefined ? {} : { nodeName }),
      volumes: (volumes ?? []).filter(({ persistentVolumeClaim: claim }) => claim !== undefined),
    },
    status: {
      ...{ phase, reason, message },
      conditions: (conditions ?? []).filter(({ type }) => type === 'PodScheduled'),
      initContainerStatuses: (initContainerStatuses ?? []).filter(isRestoreWait),
    },
  } as unknown as Pod;
}
