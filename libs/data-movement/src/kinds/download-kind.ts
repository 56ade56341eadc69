import { type DataDownload, dataDownloadType, finalizers, isBuiltInDataMover, labels } from '@lateen/api-types';
import type { RestoreExposeParam, RestoreExposer } from '@lateen/exposer';
import type { KubeApi } from '@lateen/kube';
import { uploaderTypeOf } from '@lateen/repository';
import { restoredStatus } from '../status/throughput.ts';
import { type MovementKind, ownerOf } from './movement-kind.ts';
import { operationTimeoutOf } from './operation-timeout.ts';
import { ownedByAnyNode } from './ownership.ts';
import { requireLocation } from './require-location.ts';
import { requireNames } from './require-names.ts';

export interface DownloadKindPorts {
  kube: KubeApi;
  exposer: RestoreExposer;
}

/** DataDownload: a snapshot in the repository becomes a volume, which is then bound to the target PVC. */
export function downloadKind({ kube, exposer }: DownloadKindPorts): MovementKind<DataDownload> {
  const timedParamOf = (object: DataDownload): RestoreExposeParam => ({
    ...paramOf(object),
    operationTimeoutMs: operationTimeoutOf(object),
  });
  return {
    type: dataDownloadType,
    words: 'data download',
    shortWords: 'data download',
    verb: 'restore',
    rank: 'restore',
    finalizer: finalizers.dataUploadDownload,
    writesVolume: true,
    owner: ownedByAnyNode(),
    isForAnother: ({ spec }) => !isBuiltInDataMover(spec.datamover),
    repositoryOf: ({ spec }) => ({
      volumeNamespace: spec.sourceNamespace,
      location: spec.backupStorageLocation,
      type: uploaderTypeOf(spec.dataMoverConfig),
    }),
    exposeFailure: 'error exposing target volume',
    expose: async (object, signal) => {
      const owner = ownerOf(object);
      requireNames(namesOf(object));
      const param = timedParamOf(object);
      // Checked before anything is created, because only the user can correct a wrong name.
      uploaderTypeOf(object.spec.dataMoverConfig);
      await requireLocation(kube, owner.namespace, object.spec.backupStorageLocation, signal);
      await exposer.expose(owner, param, { signal });
    },
    diagnose: (object, signal) => exposer.diagnose(ownerOf(object), paramOf(object), { signal }),
    cleanUp: (object, signal) => exposer.cleanUp(ownerOf(object), paramOf(object), { signal }),
    startPath: (path, object) =>
      path.startRestore(object.spec.snapshotID, object.spec.dataMoverConfig ?? {}, undefined),
    finish: {
      run: (object, options) => exposer.rebindVolume(ownerOf(object), timedParamOf(object), options),
      undo: (object, signal) => exposer.undoRebinding(ownerOf(object), paramOf(object), { signal }),
      hasBegun: (object, signal) => exposer.isRebinding(ownerOf(object), { signal }),
    },
    tellsThroughput: true,
    startedStatus: () => ({}),
    completedStatus: restoredStatus,
  };
}

const namesOf = ({ spec }: DataDownload) => ({
  'spec.targetVolume.namespace': spec.targetVolume?.namespace,
  'spec.targetVolume.pvc': spec.targetVolume?.pvc,
  'spec.backupStorageLocation': spec.backupStorageLocation,
});

/** Never throws: a clean-up must be possible also for an object with an invalid spec. */
function paramOf({ spec, metadata }: DataDownload): RestoreExposeParam {
  return {
    targetNamespace: spec.targetVolume?.namespace ?? '',
    targetClaim: spec.targetVolume?.pvc ?? '',
    inPlace: (spec.restoreType ?? '') !== '',
    targetVolume: spec.targetVolume?.pv ?? '',
    targetComesLater: metadata.labels?.[labels.restoreUid] !== undefined,
    nodeOS: spec.nodeOS,
    dataMover: spec.datamover,
    dataBytes: spec.snapshotSize,
    operationTimeout: spec.operationTimeout,
    operationTimeoutMs: 0,
  };
}
