import { type DataUpload, dataUploadType, labels } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { csiSnapshotExposer, type ExposerPorts, type SnapshotExposeParam } from '@lateen/exposer';
import { operationTimeoutOf, ownerOf } from '../movement.ts';
import { checkLocation } from './check-location.ts';
import { fullProgress, type MovementKind } from './movement-kind.ts';

/** DataUpload: a CSI snapshot goes to a repository (data-movement.md section 4). */
export function dataUploadKind(ports: ExposerPorts): MovementKind<DataUpload> {
  const exposer = csiSnapshotExposer(ports);
  return {
    type: dataUploadType,
    direction: 'backup',
    words: 'data upload',
    word: 'dataupload',
    logField: 'dataUpload',
    podLabel: labels.dataUpload,
    exposeFailed: 'error exposing snapshot',
    writesNodeOs: true,
    check: async (object, { signal }) => {
      checkSpec(object);
      await checkLocation(ports.kube, ownerOf(object).namespace, object.spec.backupStorageLocation, signal);
    },
    expose: (object, options) => exposer.expose(ownerOf(object), paramOf(object), options),
    diagnose: (object, options) => exposer.diagnose(ownerOf(object), paramOf(object), options),
    conclude: async () => {},
    isConcluding: async () => false,
    cleanUp: (object, options) => exposer.cleanUp(ownerOf(object), paramOf(object), options),
    completedStatus: (result) => ({
      progress: fullProgress(result.totalBytes),
      ...('snapshotID' in result
        ? { path: result.source.byPath, snapshotID: result.snapshotID, incrementalBytes: result.incrementalBytes }
        : {}),
    }),
    start: { config: (object) => object.spec.dataMoverConfig ?? {}, snapshotId: () => '' },
  };
}

/** @throws UPLOAD_SPEC: the object was made wrong and can only be made anew */
function checkSpec({ spec }: DataUpload): void {
  if (spec.snapshotType === 'CSI' && spec.csiSnapshot) return;
  const found = spec.snapshotType === 'CSI' ? 'spec.csiSnapshot is empty' : `spec.snapshotType is "${spec.snapshotType}"`;
  throw new AppError('UPLOAD_SPEC', `only CSI snapshots can be uploaded: ${found}`, {
    nextStep: 'Set spec.snapshotType to CSI and name the snapshot in spec.csiSnapshot.',
  });
}

function paramOf(object: DataUpload): SnapshotExposeParam {
  const { sourceNamespace, sourcePVC, csiSnapshot } = object.spec;
  const { text, ms } = operationTimeoutOf(object);
  return {
    sourceNamespace,
    sourceClaim: sourcePVC,
    volumeSnapshot: csiSnapshot?.volumeSnapshot ?? '',
    storageClass: csiSnapshot?.storageClass ?? '',
    operationTimeout: text,
    operationTimeoutMs: ms,
  };
}
