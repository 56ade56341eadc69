import { finalizers, type PodVolumeRestore, podVolumeRestoreType } from '@lateen/api-types';
import type { PodVolumeExposeParam } from '@lateen/exposer';
import { podVolumeConfig, podVolumeUploaderType } from '@lateen/repository';
import { restoredStatus } from '../status/throughput.ts';
import { type MovementKind, ownerOf } from './movement-kind.ts';
import type { Ownership } from './ownership.ts';
import { clientOf, exposedBy, type PodVolumeKindPorts, podNamesOf, podOf } from './pod-volume-kind.ts';
import { requireLocation } from './require-location.ts';
import { requireNames } from './require-names.ts';

/** PodVolumeRestore: a snapshot in the repository goes into a volume of a pod that waits for it, on the node of the pod. */
export function podVolumeRestoreKind(ports: PodVolumeKindPorts): MovementKind<PodVolumeRestore> {
  const { kube, exposer, operationTimeout } = ports;
  const paramOf = (object: PodVolumeRestore): PodVolumeExposeParam => ({
    direction: 'restore',
    pod: podOf(object),
    volume: object.spec.volume ?? '',
    node: nodeOfPod.nodeOf(object),
    operationTimeout,
    dataBytes: object.spec.snapshotSize,
  });
  return {
    type: podVolumeRestoreType,
    words: 'pod volume restore',
    shortWords: 'PVR',
    verb: 'restore',
    rank: 'restore',
    finalizer: finalizers.podVolume,
    writesVolume: true,
    owner: nodeOfPod,
    client: { ...clientOf('restore', nodeOfPod), mayBegin: (state) => state === 'waits', isNeededToTheEnd: false },
    isForAnother: () => false,
    repositoryOf: ({ spec }) => ({
      volumeNamespace: spec.sourceNamespace,
      location: spec.backupStorageLocation,
      type: podVolumeUploaderType(spec),
    }),
    ...exposedBy(exposer, paramOf),
    expose: async (object, signal) => {
      const owner = ownerOf(object);
      requireNames(namesOf(object));
      // Before anything is made: a wrong name is the user's to correct.
      podVolumeUploaderType(object.spec);
      await requireLocation(kube, owner.namespace, object.spec.backupStorageLocation, signal);
      await exposer.expose(owner, paramOf(object), { signal });
    },
    startPath: (path, { spec }) => path.startRestore(spec.snapshotID, podVolumeConfig(spec), undefined),
    tellsThroughput: true,
    startedStatus: () => ({}),
    completedStatus: restoredStatus,
  };
}

/** The node that accepts it is the one where its pod is, and stays its node in every attempt. */
const nodeOfPod: Ownership<PodVolumeRestore> = {
  nodeOf: ({ status }) => status?.node ?? '',
  field: '/status/node',
  isBound: true,
  accepted: (node) => ({ node }),
  running: (node) => ({ node }),
};

const namesOf = (object: PodVolumeRestore) => ({
  ...podNamesOf(object),
  'spec.volume': object.spec.volume,
  'spec.backupStorageLocation': object.spec.backupStorageLocation,
});
