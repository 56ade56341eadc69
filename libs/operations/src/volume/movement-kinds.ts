import {
  annotations,
  type ChangedBlocksRead,
  type DataDownload,
  type DataUpload,
  dataDownloadType,
  dataUploadType,
  type PodVolumeBackup,
  type PodVolumeRestore,
  podVolumeBackupType,
  podVolumeRestoreType,
  type RestoreThroughput,
} from '@lateen/api-types';
import type { ResourceType } from '@lateen/kube';

export type Movement = DataUpload | DataDownload | PodVolumeBackup | PodVolumeRestore;

/** The differences between the kinds of movements, for displaying them. */
export interface MovementKind<M extends Movement = Movement> {
  readonly type: ResourceType<M>;
  /** The prefix of a name that several movements share, `upload/data-x7k2p`; the first of {@link MovementKind.words}. */
  readonly verb: string;
  /** What users may write instead of the kind. */
  readonly words: readonly string[];
  /** The kind in sentences: `an upload`. */
  readonly about: string;
  /** `namespace/pvc`, or `namespace/pod:volume`. */
  volumeOf(movement: M): string;
  /** `namespace/pvc` of a pod's volume, when it is known. */
  claimOf(movement: M): string | undefined;
  nodeOf(movement: M): string | undefined;
  snapshotOf(movement: M): string | undefined;
  incrementalBytesOf(movement: M): number | undefined;
  /** Settings of the engine. */
  settingsOf(movement: M): Readonly<Record<string, string>> | null | undefined;
  throughputOf(movement: M): RestoreThroughput | undefined;
  /** Of an upload that asked which blocks have changed. */
  changedBlocksOf(movement: M): ChangedBlocksRead | undefined;
}

/** Velero counts links as cached although its total leaves them out, which gives a negative number when nothing is new. */
const newBytesOf = ({ status }: DataUpload | PodVolumeBackup): number | undefined =>
  status?.incrementalBytes === undefined ? undefined : Math.max(0, status.incrementalBytes);

const uploads: MovementKind<DataUpload> = {
  type: dataUploadType,
  verb: 'upload',
  words: ['upload'],
  about: 'an upload',
  volumeOf: ({ spec }) => `${spec.sourceNamespace}/${spec.sourcePVC}`,
  claimOf: () => undefined,
  nodeOf: ({ status }) => status?.node || status?.acceptedByNode,
  snapshotOf: ({ status }) => status?.snapshotID,
  incrementalBytesOf: newBytesOf,
  settingsOf: ({ spec }) => spec.dataMoverConfig,
  throughputOf: () => undefined,
  changedBlocksOf: ({ status }) => status?.changedBlocks,
};

const downloads: MovementKind<DataDownload> = {
  type: dataDownloadType,
  verb: 'download',
  words: ['download'],
  about: 'a download',
  volumeOf: ({ spec: { targetVolume } }) => `${targetVolume.namespace}/${targetVolume.pvc}`,
  claimOf: () => undefined,
  nodeOf: ({ status }) => status?.node || status?.acceptedByNode,
  snapshotOf: ({ spec }) => spec.snapshotID,
  incrementalBytesOf: () => undefined,
  settingsOf: ({ spec }) => spec.dataMoverConfig,
  throughputOf: ({ status }) => status?.throughput,
  changedBlocksOf: () => undefined,
};

const volumeOfPod = ({ pod, volume }: PodVolumeBackup['spec'] | PodVolumeRestore['spec']): string =>
  `${pod.namespace}/${pod.name}:${volume}`;

const podVolumeBackups: MovementKind<PodVolumeBackup> = {
  type: podVolumeBackupType,
  verb: 'pvb',
  words: ['pvb', 'pod-volume-backup'],
  about: 'a pod volume backup',
  volumeOf: ({ spec }) => volumeOfPod(spec),
  claimOf: ({ metadata, spec }) => {
    const claim = metadata.annotations?.[annotations.pvcName];
    return claim === undefined ? undefined : `${spec.pod.namespace}/${claim}`;
  },
  nodeOf: ({ spec }) => spec.node,
  snapshotOf: ({ status }) => status?.snapshotID,
  incrementalBytesOf: newBytesOf,
  settingsOf: ({ spec }) => spec.uploaderSettings,
  throughputOf: () => undefined,
  changedBlocksOf: () => undefined,
};

const podVolumeRestores: MovementKind<PodVolumeRestore> = {
  type: podVolumeRestoreType,
  verb: 'pvr',
  words: ['pvr', 'pod-volume-restore'],
  about: 'a pod volume restore',
  volumeOf: ({ spec }) => volumeOfPod(spec),
  claimOf: () => undefined,
  nodeOf: ({ status }) => status?.node,
  snapshotOf: ({ spec }) => spec.snapshotID,
  incrementalBytesOf: () => undefined,
  settingsOf: ({ spec }) => spec.uploaderSettings,
  throughputOf: ({ status }) => (status as { throughput?: RestoreThroughput } | undefined)?.throughput,
  changedBlocksOf: () => undefined,
};

/** All kinds in the order of look-up and listing. Each is only called with movements of its own kind. */
export const movementKinds = [
  uploads,
  downloads,
  podVolumeBackups,
  podVolumeRestores,
] as readonly object[] as readonly MovementKind[];

/** @throws Error for an object that is not a movement: a defect of the caller */
export function kindOf({ kind }: { kind: string }): MovementKind {
  const found = movementKinds.find(({ type }) => type.kind === kind);
  if (found === undefined) throw new Error(`${kind} is not a movement`);
  return found;
}
