import { backupRepositoryType } from '../v1/backup-repository.ts';
import { backupStorageLocationType } from '../v1/backup-storage-location.ts';
import { volumeSnapshotLocationType } from '../v1/volume-snapshot-location.ts';
import { ageColumn, phaseColumn } from './columns.ts';
import type { KindDefinition } from './kind-definition.ts';

export const backupStorageLocationDefinition: KindDefinition = {
  type: backupStorageLocationType,
  shortNames: ['bsl'],
  columns: [
    phaseColumn('Phase', 'Whether the location could be used at the last check'),
    {
      name: 'Last Validated',
      type: 'date',
      jsonPath: '.status.lastValidationTime',
      description: 'Time since the location was last checked',
    },
    ageColumn,
    {
      name: 'Default',
      type: 'boolean',
      jsonPath: '.spec.default',
      description: 'Whether backups that name no location go here',
    },
  ],
  emptySubresources: true,
};

export const volumeSnapshotLocationDefinition: KindDefinition = {
  type: volumeSnapshotLocationType,
  shortNames: ['vsl'],
};

export const backupRepositoryDefinition: KindDefinition = {
  type: backupRepositoryType,
  columns: [
    ageColumn,
    {
      name: 'Repository Type',
      type: 'string',
      jsonPath: '.spec.repositoryType',
      description: "Engine that owns the repository's format",
    },
  ],
  emptySubresources: true,
};
