import { finalizers, type PodVolumeBackup, podVolumeBackupType } from '@lateen/api-types';
import type { PodVolumeExposeParam } from '@lateen/exposer';
import {
  checkUploadConfig,
  findOrCreateBackupRepository,
  podVolumeConfig,
  podVolumeUploaderType,
} from '@lateen/repository';
import { type MovementKind, ownerOf } from './movement-kind.ts';
import type { Ownership } from './ownership.ts';
import { clientOf, exposedBy, type PodVolumeKindPorts, podNamesOf, podOf } from './pod-volume-kind.ts';
import { requireLocation } from './require-location.ts';
import { requireNames } from './require-names.ts';

/** PodVolumeBackup: a volume of a running pod goes to the repository, on the node of the pod. */
export function podVolumeBackupKind(ports: PodVolumeKindPorts): MovementKind<PodVolumeBackup> {
  const { kube, exposer, operationTimeout } = ports;
  const paramOf = (object: PodVolumeBackup): PodVolumeExposeParam => ({
    direction: 'backup',
    pod: podOf(object),
    volume: object.spec.volume ?? '',
    node: object.spec.node ?? '',
    operationTimeout,
  });
  return {
    type: podVolumeBackupType,
    words: 'pod volume backup',
    shortWords: 'PVB',
    verb: 'backup',
    rank: 'backup',
    finalizer: finalizers.podVolume,
    writesVolume: false,
    owner: nodeOfSpec,
    client: {
      ...clientOf('backup', nodeOfSpec),
      mayBegin: () => true,
      isTooLate: () => false,
      isNeededToTheEnd: true,
    },
    isForAnother: () => false,
    repositoryOf,
    ...exposedBy(exposer, paramOf),
    expose: async (object, signal) => {
      const owner = ownerOf(object);
      requireNames(namesOf(object));
      checkUploadConfig(podVolumeConfig(object.spec));
      await requireLocation(kube, owner.namespace, object.spec.backupStorageLocation, signal);
      await Promise.all([
        exposer.expose(owner, paramOf(object), { signal }),
        // The first movement of a namespace needs a new repository; requested now, it is ready when the mover needs it.
        findOrCreateBackupRepository(kube, { namespace: owner.namespace, ...repositoryOf(object) }, { signal }),
      ]);
    },
    startPath: (path, { spec }) => path.startBackup(podVolumeConfig(spec), undefined),
    tellsThroughput: false,
    startedStatus: () => ({}),
    completedStatus: (result) =>
      'snapshotID' in result
        ? {
            path: result.source.byPath,
            snapshotID: result.snapshotID,
            incrementalBytes: result.incrementalBytes,
            // Files that vanished or changed during the backup: the snapshot is valid, and a user who restores it should know.
            ...(result.warning === undefined ? {} : { message: result.warning }),
          }
        : {},
  };
}

/** Its status has no node (api.md section 11), and needs none: the node is in the spec from the beginning. */
const nodeOfSpec: Ownership<PodVolumeBackup> = {
  nodeOf: ({ spec }) => spec.node ?? '',
  field: '/spec/node',
  isBound: true,
  accepted: () => ({}),
  running: () => ({}),
};

/** One repository for each namespace of pods. */
const repositoryOf = ({ spec }: PodVolumeBackup) => ({
  volumeNamespace: spec.pod?.namespace ?? '',
  location: spec.backupStorageLocation,
  type: podVolumeUploaderType(spec),
});

const namesOf = (object: PodVolumeBackup) => ({
  'spec.node': object.spec.node,
  ...podNamesOf(object),
  'spec.volume': object.spec.volume,
  'spec.backupStorageLocation': object.spec.backupStorageLocation,
});
