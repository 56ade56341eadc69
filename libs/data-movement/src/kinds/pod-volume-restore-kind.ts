import { annotations, finalizers, type Pod, type PodVolumeRestore, podVolumeRestoreType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { PodVolumeExposeParam } from '@lateen/exposer';
import { keyOf, keyText } from '@lateen/kube';
import { podVolumeConfig, podVolumeUploaderType } from '@lateen/repository';
import { hasWaited, isToldToStart } from '../gather/client-seen.ts';
import { restoredStatus } from '../status/throughput.ts';
import type { ClientOf } from './client-of.ts';
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
    client: restoredClient,
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
      // Checked before anything is created, because only the user can correct a wrong name.
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

/** The node that accepts it is the node of its pod, and stays its node in every attempt. */
const nodeOfPod: Ownership<PodVolumeRestore> = {
  nodeOf: ({ status }) => status?.node ?? '',
  field: '/status/node',
  isBound: true,
  accepted: (node) => ({ node }),
  running: (node) => ({ node }),
};

const ofPod = clientOf('restore', nodeOfPod);

/**
 * Data that the pod's own containers have written must not be overwritten: a restore runs while the pod waits, and not
 * afterwards.
 */
const restoredClient: ClientOf<PodVolumeRestore> = {
  ...ofPod,
  mayBegin: (state) => state === 'waits',
  isTooLate: (state, isMoving) => state === 'begun-without' || (state === 'begun' && !isMoving),
  problem: (pod, object) => ofPod.problem(pod, object) ?? begunProblem(pod),
  isNeededToTheEnd: false,
};

function begunProblem(pod: Pod | undefined): AppError | undefined {
  if (pod === undefined || !hasWaited(pod)) return undefined;
  const is = `pod ${keyText(keyOf(pod))} has begun`;
  if (isToldToStart(pod))
    return new AppError(
      'CLIENT_POD_BEGUN',
      `${is} without its data, as annotation ${annotations.startWithoutData} says`,
      {
        nextStep: 'Delete it and restore it again to have the data.',
      },
    );
  return new AppError('CLIENT_POD_BEGUN', `${is}, and nothing is written into a volume in use`, {
    nextStep:
      'Its init container has seen the data of an earlier attempt, so check the volume before you restore it again.',
  });
}

const namesOf = (object: PodVolumeRestore) => ({
  ...podNamesOf(object),
  'spec.volume': object.spec.volume,
  'spec.backupStorageLocation': object.spec.backupStorageLocation,
});
