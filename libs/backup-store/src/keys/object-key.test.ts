import { type DownloadTargetKind, downloadTargetKinds } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { objectKey, targetOwner } from './object-key.ts';

/** object-store-layout.md sections 2 and 12. */
const keys: Record<DownloadTargetKind, string> = {
  BackupLog: 'backups/n-1/n-1-logs.gz',
  BackupContents: 'backups/n-1/n-1.tar.gz',
  BackupVolumeSnapshots: 'backups/n-1/n-1-volumesnapshots.json.gz',
  BackupItemOperations: 'backups/n-1/n-1-itemoperations.json.gz',
  BackupResourceList: 'backups/n-1/n-1-resource-list.json.gz',
  BackupResults: 'backups/n-1/n-1-results.gz',
  CSIBackupVolumeSnapshots: 'backups/n-1/n-1-csi-volumesnapshots.json.gz',
  CSIBackupVolumeSnapshotContents: 'backups/n-1/n-1-csi-volumesnapshotcontents.json.gz',
  BackupVolumeInfos: 'backups/n-1/n-1-volumeinfo.json.gz',
  BackupItemOutcomes: 'backups/n-1/n-1-item-outcomes.json.gz',
  RestoreLog: 'restores/n-1/restore-n-1-logs.gz',
  RestoreResults: 'restores/n-1/restore-n-1-results.gz',
  RestoreResourceList: 'restores/n-1/restore-n-1-resource-list.json.gz',
  RestoreItemOperations: 'restores/n-1/restore-n-1-itemoperations.json.gz',
  RestoreItemOutcomes: 'restores/n-1/restore-n-1-item-outcomes.json.gz',
  RestorePlan: 'restores/n-1/restore-n-1-plan.json.gz',
  RestoreVolumeInfo: 'restores/n-1/n-1-volumeinfo.json.gz',
};

describe('objectKey', () => {
  it.each(Object.entries(keys) as [DownloadTargetKind, string][])('%s is %s', (kind, key) => {
    expect(objectKey({ kind, name: 'n-1' }, '')).toBe(key);
    expect(objectKey({ kind, name: 'n-1' }, 'a/b')).toBe(`a/b/${key}`);
    expect(targetOwner(kind)).toBe(key.startsWith('backups/') ? 'Backup' : 'Restore');
  });

  it('has a key for every kind of the API, and an owner only for these', () => {
    expect(Object.keys(keys).sort()).toEqual([...downloadTargetKinds].sort());
    expect([targetOwner('BackupSecrets'), targetOwner('toString')]).toEqual([undefined, undefined]);
  });
});
