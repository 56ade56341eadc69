import type { PrinterColumn } from './kind-definition.ts';

export const phaseColumn = (name: string, description: string): PrinterColumn => ({
  name,
  type: 'string',
  jsonPath: '.status.phase',
  description,
});

export const ageColumn: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since the object was created',
};

/** Columns that all four data movements begin with. */
export const transferColumns: readonly PrinterColumn[] = [
  phaseColumn('Status', 'Phase of the data movement'),
  {
    name: 'Started',
    type: 'date',
    jsonPath: '.status.startTimestamp',
    description: 'Time since the transfer began',
  },
  {
    name: 'Bytes Done',
    type: 'integer',
    format: 'int64',
    jsonPath: '.status.progress.bytesDone',
    description: 'Bytes moved so far',
  },
  {
    name: 'Total Bytes',
    type: 'integer',
    format: 'int64',
    jsonPath: '.status.progress.totalBytes',
    description: 'Bytes to move',
  },
];

export const incrementalBytesColumn: PrinterColumn = {
  name: 'Incremental Bytes',
  type: 'integer',
  format: 'int64',
  priority: 10,
  jsonPath: '.status.incrementalBytes',
  description: 'Bytes that were new or changed',
};

/** Columns that follow in all four. `.status.node` stays blank for PodVolumeBackup, which has no such field. */
export const placeColumns: readonly PrinterColumn[] = [
  {
    name: 'Storage Location',
    type: 'string',
    jsonPath: '.spec.backupStorageLocation',
    description: 'Location that holds the repository',
  },
  ageColumn,
  { name: 'Node', type: 'string', jsonPath: '.status.node', description: 'Node that runs the transfer' },
];
