import { podVolumeBackupType } from '../v1/pod-volume-backup.ts';
import { podVolumeRestoreType } from '../v1/pod-volume-restore.ts';
import { dataDownloadType } from '../v2alpha1/data-download.ts';
import { dataUploadType } from '../v2alpha1/data-upload.ts';
import { incrementalBytesColumn, placeColumns, transferColumns } from './columns.ts';
import type { KindDefinition, PrinterColumn } from './kind-definition.ts';

const uploaderColumn = (name: string): PrinterColumn => ({
  name,
  type: 'string',
  jsonPath: '.spec.uploaderType',
  description: 'Engine that moves the data',
});

export const dataUploadDefinition: KindDefinition = {
  type: dataUploadType,
  columns: [...transferColumns, incrementalBytesColumn, ...placeColumns],
  emptySubresources: true,
};

export const dataDownloadDefinition: KindDefinition = {
  type: dataDownloadType,
  columns: [...transferColumns, ...placeColumns],
  emptySubresources: true,
};

export const podVolumeBackupDefinition: KindDefinition = {
  type: podVolumeBackupType,
  columns: [...transferColumns, incrementalBytesColumn, ...placeColumns, uploaderColumn('Uploader')],
  emptySubresources: true,
};

export const podVolumeRestoreDefinition: KindDefinition = {
  type: podVolumeRestoreType,
  columns: [...transferColumns, ...placeColumns, uploaderColumn('Uploader Type')],
  emptySubresources: true,
};
