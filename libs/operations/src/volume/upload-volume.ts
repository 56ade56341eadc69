import {
  annotations,
  type DataUpload,
  dataUploadType,
  getValidName,
  labels,
  type VolumeSnapshot,
  volumeSnapshotClassType,
} from '@lateen/api-types';
import { checkUploadConfig } from '@lateen/repository';
import {
  chooseClass,
  deleteSnapshot,
  snapshotClassKind,
  takeSnapshot,
  uploadSpec,
  watchEach,
} from '@lateen/volume-snapshots';
import { findLocation } from './find-location.ts';
import { findSourceVolume, type SourceVolume } from './find-source-volume.ts';
import type { VolumePorts } from './volume-ports.ts';
import type { VolumeReference } from './volume-reference.ts';

export interface UploadVolumeOptions {
  volume: VolumeReference;
  veleroNamespace: string;
  storageLocation?: string | undefined;
  snapshotClass?: string | undefined;
  /** Name of the DataUpload; generated from the PVC's when absent. */
  name?: string | undefined;
  dataMoverConfig: Readonly<Record<string, string>>;
  snapshotTimeoutMs: number;
}

/**
 * Takes a snapshot of a volume and passes it to the node-agent as a DataUpload, which owns the snapshot from then on. Everything that can
 * be checked is checked before the snapshot is taken. If the DataUpload cannot be created, the snapshot is deleted again.
 */
export async function uploadVolume(
  options: UploadVolumeOptions,
  ports: VolumePorts,
  signal: AbortSignal,
): Promise<DataUpload> {
  checkUploadConfig(options.dataMoverConfig);
  const { kube } = ports;
  const [source, location, classes] = await Promise.all([
    findSourceVolume(kube, options.volume, signal),
    findLocation(kube, options.veleroNamespace, options.storageLocation, signal),
    kube.list(volumeSnapshotClassType, { signal }),
  ]);
  const named = options.snapshotClass ?? source.pvc.metadata.annotations?.[annotations.csiVolumeSnapshotClass];
  const chosen = chooseClass(snapshotClassKind, source.storageClass.provisioner, classes.items, named);
  const snapshotClass = chosen.metadata.name ?? '';
  const { snapshot } = await takeSnapshot(
    { claim: source.pvc, snapshotClass, timeoutMs: options.snapshotTimeoutMs, failsAtOnce: true },
    { ...ports, sight: watchEach(ports) },
    signal,
  );
  const dataUpload = dataUploadFor(options, {
    source,
    snapshot,
    snapshotClass,
    storageLocation: location.metadata.name ?? '',
    operationId: ports.random.uuid(),
  });
  try {
    return await kube.create(dataUploadType, dataUpload, { signal });
  } catch (error) {
    await deleteSnapshot(kube, snapshot);
    throw error;
  }
}

interface UploadFacts {
  source: SourceVolume;
  snapshot: VolumeSnapshot;
  snapshotClass: string;
  storageLocation: string;
  operationId: string;
}

/** The DataUpload for a snapshot, as Velero's backup action fills it (data-movement.md section 2.5). */
export function dataUploadFor(options: UploadVolumeOptions, facts: UploadFacts): DataUpload {
  const { pvc } = options.volume;
  const pvcUid = facts.source.pvc.metadata.uid ?? '';
  return {
    apiVersion: 'velero.io/v2alpha1',
    kind: 'DataUpload',
    metadata: {
      namespace: options.veleroNamespace,
      ...(options.name === undefined ? { generateName: `${pvc}-` } : { name: options.name }),
      labels: {
        [labels.pvcUid]: getValidName(pvcUid),
        [labels.asyncOperationId]: getValidName(`du-${facts.operationId}.${pvcUid}`),
      },
    },
    spec: uploadSpec({
      claim: facts.source.pvc,
      snapshot: facts.snapshot.metadata.name ?? '',
      snapshotClass: facts.snapshotClass,
      storageClass: facts.source.storageClass.metadata.name ?? '',
      driver: facts.source.storageClass.provisioner,
      storageLocation: facts.storageLocation,
      operationTimeout: `${Math.round(options.snapshotTimeoutMs / 1000)}s`,
      dataMoverConfig: options.dataMoverConfig,
    }),
  };
}
