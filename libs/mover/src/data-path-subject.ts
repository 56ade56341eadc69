import {
  type DataDownload,
  type DataUpload,
  dataDownloadType,
  dataUploadType,
  type KubeObject,
  labels,
  type ResourceType,
} from '@lateen/api-types';
import type { SnapshotSource } from '@lateen/datapath';
import { dataUploadSource, uploaderTypeOf } from '@lateen/repository';

export type Direction = 'backup' | 'restore';

/** A DataUpload or DataDownload, as far as both are alike. */
export interface DataPathResource extends KubeObject {
  spec: {
    backupStorageLocation: string;
    sourceNamespace: string;
    dataMoverConfig?: Readonly<Record<string, string>> | null;
    cancel?: boolean;
  };
  status?: { phase?: string };
}

/** The words and types in which backup and restore differ. */
export interface DataPathSubject {
  type: ResourceType<DataPathResource>;
  kind: 'DataUpload' | 'DataDownload';
  /** As in the Event messages. */
  words: 'data upload' | 'data download';
}

const subjects: Record<Direction, DataPathSubject> = {
  backup: { type: dataUploadType as ResourceType<DataPathResource>, kind: 'DataUpload', words: 'data upload' },
  restore: { type: dataDownloadType as ResourceType<DataPathResource>, kind: 'DataDownload', words: 'data download' },
};

export const subjectOf = (direction: Direction): DataPathSubject => subjects[direction];

/** What the engine needs to know of the custom resource. */
export type EngineTask =
  | { direction: 'backup'; source: SnapshotSource; config: Readonly<Record<string, string>> }
  | { direction: 'restore'; snapshotID: string; config: Readonly<Record<string, string>> };

export function engineTask(direction: Direction, resource: DataPathResource): EngineTask {
  if (direction === 'backup') {
    const { spec, metadata } = resource as DataUpload;
    const operation = metadata.labels?.[labels.asyncOperationId];
    return {
      direction,
      source: dataUploadSource(spec.sourceNamespace, spec.sourcePVC, operation, uploaderTypeOf(spec.dataMoverConfig)),
      config: spec.dataMoverConfig ?? {},
    };
  }
  const { spec } = resource as DataDownload;
  const onlyChanges = spec.restoreType === 'incremental' ? { SkipUnchangedFiles: 'true' } : {};
  return { direction, snapshotID: spec.snapshotID, config: { ...spec.dataMoverConfig, ...onlyChanges } };
}
