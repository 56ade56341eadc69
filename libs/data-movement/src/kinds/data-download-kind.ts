import { type DataDownload, dataDownloadType, labels } from '@lateen/api-types';
import { type ExposerPorts, genericRestoreExposer, type RestoreExposeParam } from '@lateen/exposer';
import { operationTimeoutOf, ownerOf } from '../movement.ts';
import { checkLocation } from './check-location.ts';
import { fullProgress, type MovementKind } from './movement-kind.ts';

/** DataDownload: a snapshot of a repository becomes the volume of a claim (data-movement.md section 5). */
export function dataDownloadKind(ports: ExposerPorts): MovementKind<DataDownload> {
  const exposer = genericRestoreExposer(ports);
  return {
    type: dataDownloadType,
    direction: 'restore',
    words: 'data download',
    word: 'datadownload',
    logField: 'dataDownload',
    podLabel: labels.dataDownload,
    exposeFailed: 'error exposing target volume',
    writesNodeOs: false,
    check: (object, { signal }) =>
      checkLocation(ports.kube, ownerOf(object).namespace, object.spec.backupStorageLocation, signal),
    expose: (object, options) => exposer.expose(ownerOf(object), paramOf(object), options),
    diagnose: (object, options) => exposer.diagnose(ownerOf(object), paramOf(object), options),
    conclude: (object, options) => exposer.rebindVolume(ownerOf(object), paramOf(object), options),
    isConcluding: (object, options) => exposer.isRebinding(ownerOf(object), options),
    cleanUp: (object, options) => exposer.cleanUp(ownerOf(object), paramOf(object), options),
    completedStatus: (result) => ({ progress: fullProgress(result.totalBytes) }),
    start: { config: (object) => object.spec.dataMoverConfig ?? {}, snapshotId: (object) => object.spec.snapshotID },
  };
}

function paramOf(object: DataDownload): RestoreExposeParam {
  const { targetVolume, nodeOS } = object.spec;
  const { text, ms } = operationTimeoutOf(object);
  return {
    targetNamespace: targetVolume.namespace,
    targetClaim: targetVolume.pvc,
    nodeOS,
    operationTimeout: text,
    operationTimeoutMs: ms,
  };
}
