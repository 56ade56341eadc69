import type { KindDefinition } from '@lateen/api-types/definitions';
import { backupType } from '../kinds/backup.ts';
import { backupTargetType } from '../kinds/backup-target.ts';
import { backupVolumeType } from '../kinds/backup-volume.ts';
import { recurringJobType } from '../kinds/recurring-job.ts';
import { age, count, lastSynced, state, text, yesOrNo } from './columns.ts';

export const backupDefinition: KindDefinition = {
  type: backupType,
  shortNames: ['lhb'],
  columns: [
    text('SnapshotName', '.status.snapshotName'),
    text('SnapshotSize', '.status.size'),
    text('SnapshotCreatedAt', '.status.snapshotCreatedAt'),
    text('BackupTarget', '.status.backupTargetName'),
    state,
    lastSynced,
  ],
  statusSubresource: true,
};

export const backupVolumeDefinition: KindDefinition = {
  type: backupVolumeType,
  shortNames: ['lhbv'],
  columns: [
    text('BackupTarget', '.spec.backupTargetName'),
    text('CreatedAt', '.status.createdAt'),
    text('LastBackupName', '.status.lastBackupName'),
    text('LastBackupAt', '.status.lastBackupAt'),
    lastSynced,
  ],
  statusSubresource: true,
};

/** The column LastBackupAt shows the interval, as in Longhorn. */
export const backupTargetDefinition: KindDefinition = {
  type: backupTargetType,
  shortNames: ['lhbt'],
  columns: [
    text('URL', '.spec.backupTargetURL'),
    text('Credential', '.spec.credentialSecret'),
    text('LastBackupAt', '.spec.pollInterval'),
    yesOrNo('Available', '.status.available'),
    lastSynced,
  ],
  statusSubresource: true,
};

export const recurringJobDefinition: KindDefinition = {
  type: recurringJobType,
  shortNames: ['lhrj'],
  columns: [
    text('Groups', '.spec.groups'),
    text('Task', '.spec.task'),
    text('Cron', '.spec.cron'),
    count('Retain', '.spec.retain'),
    count('Concurrency', '.spec.concurrency'),
    age,
    text('Labels', '.spec.labels'),
  ],
  statusSubresource: true,
};
