import { backupType } from '../v1/backup.ts';
import { restoreType } from '../v1/restore.ts';
import { scheduleType } from '../v1/schedule.ts';
import { ageColumn, phaseColumn } from './columns.ts';
import type { KindDefinition } from './kind-definition.ts';

export const backupDefinition: KindDefinition = { type: backupType };

export const restoreDefinition: KindDefinition = { type: restoreType };

export const scheduleDefinition: KindDefinition = {
  type: scheduleType,
  columns: [
    phaseColumn('Status', 'Whether the schedule is in force'),
    {
      name: 'Schedule',
      type: 'string',
      jsonPath: '.spec.schedule',
      description: 'Times to back up at, as a cron expression',
    },
    {
      name: 'LastBackup',
      type: 'date',
      jsonPath: '.status.lastBackup',
      description: 'Time since a Backup was last made',
    },
    ageColumn,
    { name: 'Paused', type: 'boolean', jsonPath: '.spec.paused', description: 'Whether no Backups are made for now' },
  ],
  emptySubresources: true,
};
