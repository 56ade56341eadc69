import { deleteBackupRequestType } from '../v1/delete-backup-request.ts';
import { downloadRequestType } from '../v1/download-request.ts';
import { serverStatusRequestType } from '../v1/server-status-request.ts';
import { phaseColumn } from './columns.ts';
import type { KindDefinition } from './kind-definition.ts';

export const deleteBackupRequestDefinition: KindDefinition = {
  type: deleteBackupRequestType,
  columns: [
    { name: 'BackupName', type: 'string', jsonPath: '.spec.backupName', description: 'Backup to delete' },
    phaseColumn('Status', 'Phase of the request'),
  ],
  emptySubresources: true,
};

export const downloadRequestDefinition: KindDefinition = { type: downloadRequestType };

export const serverStatusRequestDefinition: KindDefinition = { type: serverStatusRequestType, shortNames: ['ssr'] };
