import {
  type DataDownload,
  type DataUpload,
  dataDownloadType,
  dataUploadType,
  type KubeObject,
  labels,
  type PodVolumeBackup,
  type PodVolumeRestore,
  parentSnapshotValues,
  podVolumeBackupType,
  podVolumeRestoreType,
  type ResourceType,
} from '@lateen/api-types';
import type { SnapshotSource } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import {
  dataUploadSource,
  podVolumeBackupSource,
  podVolumeConfig,
  type RepositoryType,
  uploaderTypeOf,
} from '@lateen/repository';

/** What a mover may be for, by the kind of its custom resource. */
export const dataPathKinds = ['data-upload', 'data-download', 'pod-volume-backup', 'pod-volume-restore'] as const;
export type DataPathKind = (typeof dataPathKinds)[number];

export type Direction = 'backup' | 'restore';

/** What the loop reads of a custom resource, whatever its kind. */
export interface DataPathResource extends KubeObject {
  spec: { backupStorageLocation: string; cancel?: boolean };
  status?: { phase?: string };
}

/** Which repository, which engine, and what it is told. */
export interface EngineWish {
  /** Name of the BackupStorageLocation. */
  backupStorageLocation: string;
  /** The namespace whose repository it is: the source's, also when a restore maps it to another. */
  volumeNamespace: string;
  type: RepositoryType;
  config: Readonly<Record<string, string>>;
  /** Where the restic repository was when the snapshot was made, if anybody has written that down. */
  repoIdentifier?: string | undefined;
}

/** What the engine is to do. */
export type EngineTask =
  | { direction: 'backup'; source: SnapshotSource }
  | { direction: 'restore'; snapshotID: string; mark: VolumeMark | undefined };

/** What is left in a restored volume, for the init container of its pod that waits for it (data-movement.md section 6). */
export interface VolumeMark {
  /** uid of the Restore. */
  restoreUid: string;
  /** Of the data, as far as the custom resource says. */
  totalBytes: number;
}

/** In what the kinds differ. */
export interface DataPathSubject {
  direction: Direction;
  type: ResourceType<DataPathResource>;
  /** As the API spells it, for errors. */
  kind: 'DataUpload' | 'DataDownload' | 'PodVolumeBackup' | 'PodVolumeRestore';
  /** As in the Event messages. */
  words: 'data upload' | 'data download' | 'PVB' | 'PVR';
  /** As in the termination message. */
  inMessage: string;
  /** @throws UPLOADER_TYPE_UNKNOWN */
  wish(resource: DataPathResource): EngineWish;
  /** @throws UPLOADER_TYPE_UNKNOWN, RESTORE_UNKNOWN */
  task(resource: DataPathResource): EngineTask;
}

/** The types of a kind's own functions, in the form that a table of all kinds can hold. */
const subject = <R extends DataPathResource>(
  each: Omit<DataPathSubject, 'type' | 'wish' | 'task'> & {
    type: ResourceType<R>;
    wish(resource: R): EngineWish;
    task(resource: R): EngineTask;
  },
): DataPathSubject => each as unknown as DataPathSubject;

const subjects: Record<DataPathKind, DataPathSubject> = {
  'data-upload': subject<DataUpload & DataPathResource>({
    direction: 'backup',
    type: dataUploadType as ResourceType<DataUpload & DataPathResource>,
    kind: 'DataUpload',
    words: 'data upload',
    inMessage: 'DataUpload',
    wish: ({ spec }) => wishOf(spec, spec.sourceNamespace, { ...spec.dataMoverConfig, ...parentOf(spec) }),
    task: ({ spec, metadata }) => {
      const operation = metadata.labels?.[labels.asyncOperationId];
      const type = uploaderTypeOf(spec.dataMoverConfig);
      return { direction: 'backup', source: dataUploadSource(spec.sourceNamespace, spec.sourcePVC, operation, type) };
    },
  }),
  'data-download': subject<DataDownload & DataPathResource>({
    direction: 'restore',
    type: dataDownloadType as ResourceType<DataDownload & DataPathResource>,
    kind: 'DataDownload',
    words: 'data download',
    inMessage: 'DataDownload',
    wish: ({ spec }) => wishOf(spec, spec.sourceNamespace, { ...spec.dataMoverConfig, ...onlyChanges(spec) }),
    task: ({ spec }) => ({ direction: 'restore', snapshotID: spec.snapshotID, mark: undefined }),
  }),
  'pod-volume-backup': subject<PodVolumeBackup & DataPathResource>({
    direction: 'backup',
    type: podVolumeBackupType as ResourceType<PodVolumeBackup & DataPathResource>,
    kind: 'PodVolumeBackup',
    words: 'PVB',
    inMessage: 'PVB',
    wish: ({ spec }) => wishOf(spec, spec.pod.namespace ?? '', { ...podVolumeConfig(spec), ...parentOf(spec) }),
    task: (resource) => ({ direction: 'backup', source: { ...podVolumeBackupSource(resource), isLive: true } }),
  }),
  'pod-volume-restore': subject<PodVolumeRestore & DataPathResource>({
    direction: 'restore',
    type: podVolumeRestoreType as ResourceType<PodVolumeRestore & DataPathResource>,
    kind: 'PodVolumeRestore',
    words: 'PVR',
    inMessage: 'PVR',
    wish: ({ spec }) => ({
      ...wishOf(spec, spec.sourceNamespace, { ...podVolumeConfig(spec), ...onlyChanges(spec) }),
      repoIdentifier: spec.repoIdentifier || undefined,
    }),
    task: (resource) => ({ direction: 'restore', snapshotID: resource.spec.snapshotID, mark: markOf(resource) }),
  }),
};

export const subjectOf = (kind: DataPathKind): DataPathSubject => subjects[kind];

const parentOf = ({ parentSnapshot = '' }: { parentSnapshot?: string }): Record<string, string> => {
  if (parentSnapshot === parentSnapshotValues.none) return { ReadUnchangedFiles: 'true' };
  return parentSnapshot === '' || parentSnapshot === parentSnapshotValues.auto
    ? {}
    : { ParentSnapshot: parentSnapshot };
};

const onlyChanges = ({ restoreType }: { restoreType?: string }): Record<string, string> =>
  restoreType === 'incremental' ? { SkipUnchangedFiles: 'true' } : {};

const wishOf = (
  { backupStorageLocation }: DataPathResource['spec'],
  volumeNamespace: string,
  config: Readonly<Record<string, string>>,
): EngineWish => ({ backupStorageLocation, volumeNamespace, type: uploaderTypeOf(config), config });

/** The waiter is told the uid of the Restore; so is a PodVolumeRestore, by its first owner. It becomes a part of a path. */
function markOf({ metadata, spec }: PodVolumeRestore): VolumeMark {
  const restoreUid = metadata.ownerReferences?.[0]?.uid ?? '';
  if (/^[A-Za-z0-9][A-Za-z0-9-]*$/.test(restoreUid)) return { restoreUid, totalBytes: spec.snapshotSize ?? 0 };
  throw new AppError(
    'RESTORE_UNKNOWN',
    `PodVolumeRestore ${metadata.name} has no owner whose uid could mark the volume`,
    {
      nextStep: 'Its first owner reference has to be the Restore that its pod waits for.',
    },
  );
}
