import { type DataUpload, dataUploadType, finalizers, isBuiltInDataMover } from '@lateen/api-types';
import { readVerifySettings } from '@lateen/changed-blocks/verification';
import { AppError } from '@lateen/errors';
import type { Exposer, SnapshotExposeParam } from '@lateen/exposer';
import type { KubeApi } from '@lateen/kube';
import {
  checkUploadConfig,
  findOrCreateBackupRepository,
  keepsBase,
  readsChangesOfFiles,
  uploaderTypeOf,
} from '@lateen/repository';
import { type MovementKind, ownerOf } from './movement-kind.ts';
import { operationTimeoutOf } from './operation-timeout.ts';
import { ownedByAnyNode } from './ownership.ts';
import { requireLocation } from './require-location.ts';
import { requireNames } from './require-names.ts';

export interface UploadKindPorts {
  kube: KubeApi;
  exposer: Exposer<SnapshotExposeParam>;
}

/** DataUpload: a CSI snapshot goes to the repository. */
export function uploadKind({ kube, exposer }: UploadKindPorts): MovementKind<DataUpload> {
  return {
    type: dataUploadType,
    words: 'data upload',
    shortWords: 'data upload',
    verb: 'backup',
    rank: 'backup',
    finalizer: finalizers.dataUploadDownload,
    writesVolume: false,
    owner: ownedByAnyNode(),
    isForAnother: ({ spec }) => !isBuiltInDataMover(spec.datamover),
    repositoryOf,
    exposeFailure: 'error exposing snapshot',
    expose: async (object, signal) => {
      const owner = ownerOf(object);
      requireCsiSnapshot(object);
      requireNames(namesOf(object));
      checkUploadConfig(object.spec.dataMoverConfig);
      readVerifySettings(object.spec.dataMoverConfig);
      const timeoutMs = operationTimeoutOf(object);
      await requireLocation(kube, owner.namespace, object.spec.backupStorageLocation, signal);
      await Promise.all([
        exposer.expose(owner, { ...paramOf(object), operationTimeoutMs: timeoutMs }, { signal }),
        // The first movement of a namespace needs a new repository; requested now, it is ready when the mover needs it.
        findOrCreateBackupRepository(kube, { namespace: owner.namespace, ...repositoryOf(object) }, { signal }),
      ]);
    },
    diagnose: (object, signal) => exposer.diagnose(ownerOf(object), paramOf(object), { signal }),
    cleanUp: (object, signal) =>
      exposer.cleanUp(ownerOf(object), { ...paramOf(object), keep: keptOf(object) }, { signal }),
    startPath: (path, object) => path.startBackup(object.spec.dataMoverConfig ?? {}, undefined),
    tellsThroughput: false,
    startedStatus: () => ({ nodeOS: 'linux' }),
    completedStatus: (result) =>
      'snapshotID' in result
        ? {
            path: result.source.byPath,
            snapshotID: result.snapshotID,
            incrementalBytes: result.incrementalBytes,
            ...(result.readReport === undefined ? {} : { changedBlocks: result.readReport }),
          }
        : {},
  };
}

const repositoryOf = ({ spec }: DataUpload) => ({
  volumeNamespace: spec.sourceNamespace,
  location: spec.backupStorageLocation,
  type: uploaderTypeOf(spec.dataMoverConfig),
});

function requireCsiSnapshot({ spec }: DataUpload): void {
  if (spec.snapshotType === 'CSI' && spec.csiSnapshot !== undefined && spec.csiSnapshot !== null) return;
  throw new AppError('SNAPSHOT_TYPE_UNSUPPORTED', `snapshot type "${spec.snapshotType}" cannot be uploaded`, {
    nextStep: 'Use snapshotType CSI with spec.csiSnapshot.',
  });
}

const namesOf = ({ spec }: DataUpload) => ({
  'spec.sourceNamespace': spec.sourceNamespace,
  'spec.sourcePVC': spec.sourcePVC,
  'spec.csiSnapshot.volumeSnapshot': spec.csiSnapshot?.volumeSnapshot,
  'spec.csiSnapshot.storageClass': spec.csiSnapshot?.storageClass,
  'spec.backupStorageLocation': spec.backupStorageLocation,
});

/** An upload that is being deleted keeps nothing: the objects that it owns would be deleted with it. */
function keptOf({ metadata, spec, status }: DataUpload): SnapshotExposeParam['keep'] {
  const { phase, snapshotID = '' } = status ?? {};
  const isKept = phase === 'Completed' && metadata.deletionTimestamp === undefined && snapshotID !== '';
  if (!isKept || !keepsBase(spec.dataMoverConfig)) return undefined;
  return { snapshotID, backupStorageLocation: spec.backupStorageLocation };
}

/** Never throws: a clean-up must be possible also for an object with an invalid spec. */
function paramOf({ spec }: DataUpload): SnapshotExposeParam {
  return {
    sourceNamespace: spec.sourceNamespace ?? '',
    sourceClaim: spec.sourcePVC ?? '',
    volumeSnapshot: spec.csiSnapshot?.volumeSnapshot ?? '',
    storageClass: spec.csiSnapshot?.storageClass ?? '',
    dataMover: spec.datamover,
    operationTimeout: spec.operationTimeout,
    operationTimeoutMs: 0,
    readsChanges: keepsBase(spec.dataMoverConfig),
    readsChangesOfFiles: keepsBase(spec.dataMoverConfig) && readsChangesOfFiles(spec.dataMoverConfig),
  };
}
